import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { expect } from 'chai'
import { generateSource } from 'oazapfts'
import openapiTS, { astToString } from 'openapi-typescript'
import { bodyOf } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'
import { readFromRoot, root } from '../support/workspace-root.js'

const run = promisify(execFile)

const content = JSON.stringify(bodyOf({ title: 'Typed', code: 'let x: number', language: 'typescript' }))

const guide = readFromRoot('docs/using-the-api.md')
const [, pageAt = ''] = /^```ts\n(const pageAt = .*?)^```$/ms.exec(guide) ?? []

/**
 * Returns a program of a user of a generator: its imports, and steps that replace a snippet, cause two problems, and
 * follow a link with the function in the documents.
 */
const program = (imports: string, steps: string): string => `${imports}
${pageAt}
export const seen = async (baseUrl: string): Promise<readonly unknown[]> => {
  const body = ${content}
  const query = { title: 'Typed', language: 'typescript', page_size: 1 }
  ${steps}
  const errors = invalid?.type === 'urn:snippets:invalid-body' && invalid.errors.map(({ field, code }) => [field, code])
  return [replaced?.title, stale?.type, errors, second?.results.map(({ title }) => title)]
}
`

const programs = {
  'openapi-fetch': program(
    `import createClient from 'openapi-fetch'
import type { paths } from './schema.js'`,
    `const client = createClient<paths>({ baseUrl })
  const created = await client.POST('/api/snippets-viewset/', { body })
  const path = { id: created.data?.id ?? 0 }
  const params = { path, header: { 'If-Match': created.response.headers.get('ETag') ?? '' } }
  const { data: replaced } = await client.PUT('/api/snippets/{id}/', { params, body: { ...body, title: 'Replaced' } })
  const { error: stale } = await client.PATCH('/api/snippets-viewset/{id}/', { params, body: { title: 'Lost' } })
  const { error: invalid } = await client.POST('/api/snippets/', { body: { ...body, title: '' } })
  for (let i = 0; i < 2; i++) await client.POST('/api/snippets/', { body })
  const { data: first } = await client.GET('/api/snippets-viewset/', { params: { query } })
  const next = { ...query, ...pageAt(first?.next ?? '') }
  const { data: second } = await client.GET('/api/snippets-viewset/', { params: { query: next } })`,
  ),
  'hey-api': program(
    `import * as api from './hey-api/sdk.gen.js'
import { createClient } from './hey-api/client/index.js'`,
    `const client = createClient({ baseUrl })
  const created = await api.createSnippet({ client, body })
  const path = { id: created.data?.id ?? 0 }
  const sent = { client, path, headers: { 'If-Match': created.response?.headers.get('ETag') ?? '' } }
  const { data: replaced } = await api.replaceSnippet({ ...sent, body: { ...body, title: 'Replaced' } })
  const { error: stale } = await api.updateSnippet({ ...sent, body: { title: 'Lost' } })
  const { error: invalid } = await api.createSnippet({ client, body: { ...body, title: '' } })
  for (let i = 0; i < 2; i++) await api.createSnippet({ client, body })
  const { data: first } = await api.listSnippets({ client, query })
  const { data: second } = await api.listSnippets({ client, query: { ...query, ...pageAt(first?.next ?? '') } })`,
  ),
  oazapfts: program(
    `import { ok } from '@oazapfts/runtime'
import * as api from './oazapfts-client.js'`,
    `api.defaults.baseUrl = baseUrl
  const created = await api.createSnippet(body)
  const { id } = await ok(Promise.resolve(created))
  const ifMatch = created.headers.get('ETag') ?? ''
  const replaced = await ok(api.replaceSnippet(id, { ...body, title: 'Replaced' }, { ifMatch }))
  const { data: lost } = await api.updateSnippet(id, { title: 'Lost' }, { ifMatch })
  const stale = 'type' in lost ? lost : undefined
  const { data: rejected } = await api.createSnippet({ ...body, title: '' })
  const invalid = 'type' in rejected ? rejected : undefined
  for (let i = 0; i < 2; i++) await api.createSnippet(body)
  const first = await ok(api.listSnippets({ title: 'Typed', pageSize: 1 }))
  const second = await ok(api.listSnippets({ title: 'Typed', pageSize: 1, ...pageAt(first.next ?? '') }))`,
  ),
}

describe('The clients that three generators make from the OpenAPI document', function () {
  this.timeout(60_000)
  const service = sharedService()
  let folder: string
  let types: string

  before(async () => {
    folder = await mkdtemp(join(root, 'test/dist/generated-clients-'))
    const document = JSON.parse((await service.client.get('/api/schema/')).text)
    types = astToString(await openapiTS(document))
    const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, types: [] }
    const files = {
      'package.json': '{"type":"module"}',
      'schema.ts': types,
      'document.json': JSON.stringify(document),
      ...Object.fromEntries(Object.entries(programs).map(([name, program]) => [`${name}.ts`, program])),
      'tsconfig.json': JSON.stringify({
        compilerOptions: { ...compilerOptions, lib: ['es2023', 'dom', 'dom.iterable'] },
      }),
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    await writeFile(join(folder, 'oazapfts-client.ts'), await generateSource(join(folder, 'document.json')))
    await createClient({
      input: join(folder, 'document.json'),
      output: { path: join(folder, 'hey-api'), module: { extension: '.js' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    })
  })
  after(() => rm(folder, { recursive: true }))

  it('include the one in the documents', () => {
    const named = [...guide.matchAll(/^- (\S+): `.*pageAt\(/gm)].map(([, name]) => name)
    expect(named).to.have.length(1)
    expect(programs).to.include.keys(named)
  })

  it('have a type for each enum, and no `Record<string, never>`', () => {
    expect(types).to.not.match(/@enum \{unknown\}|: Record<string, never>/)
  })

  it('compile strictly, write with ETags, and narrow problems by type without a cast', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const compiled = await run(process.execPath, [compiler], { cwd: folder }).catch(failed => failed)
    expect(compiled.stdout).to.equal('')
    for (const name of Object.keys(programs)) {
      const { seen } = await import(join(folder, `${name}.js`))
      expect(await seen(service.url), name).to.deep.equal([
        'Replaced',
        'urn:snippets:precondition-failed',
        [['title', 'length']],
        ['Typed'],
      ])
    }
  })
})
