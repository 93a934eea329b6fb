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
import { root } from '../support/workspace-root.js'

const run = promisify(execFile)

const content = JSON.stringify(bodyOf({ title: 'Typed', code: 'let x: number', language: 'typescript' }))

/** Programs of users of three generators. Each takes the same steps, and returns what it saw. */
const programs = {
  'openapi-fetch': `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

export const steps = async (baseUrl: string): Promise<readonly unknown[]> => {
  const client = createClient<paths>({ baseUrl })
  const body = ${content}
  const created = await client.POST('/api/snippets-viewset/', { body })
  const path = { id: created.data?.id ?? 0 }
  const header = { 'If-Match': created.response.headers.get('ETag') ?? '' }
  const replaced = await client.PUT('/api/snippets/{id}/', { params: { path, header }, body: { ...body, title: 'Replaced' } })
  const stale = await client.PATCH('/api/snippets-viewset/{id}/', { params: { path, header }, body: { title: 'Lost' } })
  const invalid = await client.POST('/api/snippets/', { body: { ...body, title: '' } })
  return [
    replaced.data?.title,
    stale.error?.type,
    invalid.error?.type === 'urn:snippets:invalid-body' && invalid.error.errors.map(({ field, code }) => [field, code]),
  ]
}
`,
  'hey-api': `
import * as api from './hey-api/sdk.gen.js'
import { createClient } from './hey-api/client/index.js'

export const steps = async (baseUrl: string): Promise<readonly unknown[]> => {
  const client = createClient({ baseUrl })
  const body = ${content}
  const created = await api.createSnippetInViewset({ client, body })
  const path = { id: created.data?.id ?? 0 }
  const headers = { 'If-Match': created.response?.headers.get('ETag') ?? '' }
  const replaced = await api.replaceSnippet({ client, path, headers, body: { ...body, title: 'Replaced' } })
  const stale = await api.updateSnippetInViewset({ client, path, headers, body: { title: 'Lost' } })
  const invalid = await api.createSnippet({ client, body: { ...body, title: '' } })
  return [
    replaced.data?.title,
    stale.error?.type,
    invalid.error?.type === 'urn:snippets:invalid-body' && invalid.error.errors.map(({ field, code }) => [field, code]),
  ]
}
`,
  oazapfts: `
import { ok } from '@oazapfts/runtime'
import * as api from './oazapfts-client.js'

export const steps = async (baseUrl: string): Promise<readonly unknown[]> => {
  api.defaults.baseUrl = baseUrl
  const body = ${content}
  const created = await api.createSnippetInViewset(body)
  const { id } = await ok(Promise.resolve(created))
  const ifMatch = created.headers.get('ETag') ?? ''
  const replaced = await ok(api.replaceSnippet(id, { ...body, title: 'Replaced' }, { ifMatch }))
  const { data: stale } = await api.updateSnippetInViewset(id, { title: 'Lost' }, { ifMatch })
  const { data: invalid } = await api.createSnippet({ ...body, title: '' })
  return [
    replaced.title,
    'type' in stale && stale.type,
    'type' in invalid && invalid.type === 'urn:snippets:invalid-body' && invalid.errors.map(({ field, code }) => [field, code]),
  ]
}
`,
} as const

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

  it('have a type for each enum, and no `Record<string, never>`', () => {
    expect(types).to.not.match(/@enum \{unknown\}|: Record<string, never>/)
  })

  it('compile strictly, write with ETags, and narrow problems by type without a cast', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const compiled = await run(process.execPath, [compiler], { cwd: folder }).catch(failed => failed)
    expect(compiled.stdout).to.equal('')
    for (const name of Object.keys(programs)) {
      const { steps } = await import(join(folder, `${name}.js`))
      expect(await steps(service.url), name).to.deep.equal([
        'Replaced',
        'urn:snippets:precondition-failed',
        [['title', 'length']],
      ])
    }
  })
})
