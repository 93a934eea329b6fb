import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import openapiTS, { astToString } from 'openapi-typescript'
import { bodyOf } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'
import { root } from '../support/workspace-root.js'

const run = promisify(execFile)

/** Code of a user of openapi-fetch, with the types of the document. */
const program = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' })
const content = ${JSON.stringify(bodyOf({ title: 'Typed', code: 'let x: number', language: 'typescript' }))}

const created = await client.POST('/api/snippets-viewset/', { body: content })
const id: number | undefined = created.data?.id
const path = { id: id ?? 0 }

const read = await client.GET('/api/snippets/{id}/', { params: { path } })
const language: string | undefined = read.data?.language

const header = { 'If-Match': read.response.headers.get('ETag') ?? '' }
const body = { ...content, title: 'Replaced' }
const replaced = await client.PUT('/api/snippets/{id}/', { params: { path, header }, body })
const title: string | undefined = replaced.data?.title

const patched = await client.PATCH('/api/snippets-viewset/{id}/', { params: { path }, body: { code: 'let y' } })
const code: string | undefined = patched.data?.code

const query = { page_size: 1, language: 'typescript', ordering: '-created_at' }
const page = await client.GET('/api/snippets-viewset/', { params: { query } })
const next: string | null | undefined = page.data?.next
const count: number | undefined = page.data?.count
const first: string | undefined = page.data?.results[0]?.title

const rejected = await client.POST('/api/snippets/', { body: { ...content, title: '' } })
const shown: string[] = []
if (rejected.error?.type === 'urn:snippets:invalid-body')
  for (const { field, message } of rejected.error.errors) shown.push(field, message)

const listed = await client.GET('/api/snippets-viewset/', { params: { query } })
if (listed.error?.type === 'urn:snippets:invalid-query')
  for (const { parameter, message } of listed.error.errors) shown.push(parameter, message)

const deleted = await client.DELETE('/api/snippets/{id}/', { params: { path } })
const isMissing: boolean = deleted.error?.type === 'urn:snippets:not-found'

// the compiler rejects each of these calls
export const misuses = () => [
  // @ts-expect-error: the code is missing
  client.POST('/api/snippets/', { body: { title: 'no code', language: 'c' } }),
  // @ts-expect-error: a PATCH has a body
  client.PATCH('/api/snippets-viewset/{id}/', { params: { path: { id: 1 } } }),
  // @ts-expect-error: an id is a number
  client.GET('/api/users/{id}/', { params: { path: { id: '1' } } }),
  // @ts-expect-error: a misspelled parameter
  client.GET('/api/snippets-viewset/', { params: { query: { langage: 'c' } } }),
]
`

describe('A client typed by the OpenAPI document', function () {
  this.timeout(60_000)
  const service = sharedService()
  let folder: string
  let types: string

  before(async () => {
    const document = JSON.parse((await service.client.get('/api/schema/')).text)
    types = astToString(await openapiTS(document))
    folder = await mkdtemp(join(root, 'test/dist/typed-client-'))
    const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true }
    const files = {
      'package.json': '{"type":"module"}',
      'schema.ts': types,
      'program.ts': program,
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['program.ts'] }),
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  })
  after(() => rm(folder, { recursive: true }))

  it('has a type for each enum, and no `Record<string, never>`', () => {
    expect(types).to.not.match(/@enum \{unknown\}|: Record<string, never>/)
  })

  it('compiles when it creates, reads, replaces, patches, pages, deletes and reads a problem', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const compiled = await run(process.execPath, [compiler], { cwd: folder }).catch(failed => failed)
    expect(compiled.stdout).to.equal('')
  })
})
