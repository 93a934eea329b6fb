import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { oneOf } from '@snippets/domain/entities/revision.js'
import { stale } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { everything } from '../contracts/storage/stream.js'
import { changes, draft, must } from '../support/snippets.js'
import { root } from '../support/workspace-root.js'

type Example = Readonly<{ folderSnippets: (folder: string, firstId?: bigint) => SnippetStore }>

describe('The storage in docs/adding-a-storage.md', function () {
  this.timeout(60_000)
  let compiled: Readonly<{ folder: string; output: string }>
  let example: Example
  const folders: string[] = []

  before(async () => {
    compiled = await compile()
    expect(compiled.output).to.equal('')
    example = await import(pathToFileURL(join(compiled.folder, 'example.js')).href)
  })

  after(() => Promise.all([compiled.folder, ...folders].map(folder => rm(folder, { recursive: true }))))

  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'snippets-'))
    folders.push(folder)
    return folder
  }

  it('is shared by all who open its folder, also after a restart', async () => {
    const folder = await newFolder()
    const [one, other] = [example.folderSnippets(folder), example.folderSnippets(folder)]
    const first = must(await one.create(draft())())
    const second = must(await other.create(draft())())
    const changed = must(await one.update(second.id, changes({ title: 'new' }), oneOf([second]))())
    expect(await other.update(second.id, changes({ title: 'late' }), oneOf([second]))()).to.deep.equal(left(stale))
    expect(await everything(example.folderSnippets(folder))).to.deep.equal([first, changed])
  })

  it('answers Corrupt when its file is malformed, and Unavailable when its folder is gone', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, '1'), '[{"id":"1"}]')
    expect(await example.folderSnippets(folder).create(draft())()).to.have.nested.property('left._tag', 'Corrupt')
    const gone = await example.folderSnippets(join(folder, 'gone')).create(draft())()
    expect(gone).to.have.property('left').that.includes({ _tag: 'Unavailable', outcome: 'unapplied' })
  })

  storageContract('the example', {
    open: async ({ firstId, users = [] }) => {
      const snippets = example.folderSnippets(await newFolder(), firstId)
      return { snippets, users: memoryStorage({ users }).users, close: async () => {} }
    },
    // each of its writes stores everything
    streamSize: 300,
  })
})

/** Inside the MongoDB adapter, because the example imports what an adapter of its kind depends on. */
const compile = async () => {
  const page = await readFile(join(root, 'docs/adding-a-storage.md'), 'utf8')
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
  const folder = await mkdtemp(join(root, 'adapters-mongo/dist/example-'))
  const compilerOptions = { composite: false, declaration: false, rootDir: '.', outDir: '.' }
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'example.ts'), code)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const output = await new Promise<string>(resolve =>
    execFile(process.execPath, [compiler, '-p', folder], (_error, stdout) => resolve(stdout)),
  )
  return { folder, output }
}
