import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from '@snippets/application/remote-storage/log.js'
import type { Timers } from '@snippets/application/remote-storage/timers.js'
import { nodeTimers } from '@snippets/apps/node-timers.js'
import type { User } from '@snippets/domain/entities/user.js'
import { expect } from 'chai'
import { outageContract } from '../contracts/storage/outage-contract.js'
import { type OpenStorage, storageContract } from '../contracts/storage/storage-contract.js'
import { draft } from '../support/snippets.js'
import { type ObjectServer, objectFaults, objectServer } from '../support/storage/object-server.js'
import { root } from '../support/workspace-root.js'

type Options = Readonly<{ url: string; users: readonly User[]; firstId?: bigint; log: Log; timers: Timers }>

type Example = Readonly<{ objectStorage: (options: Options) => OpenStorage & Readonly<{ prepared: Promise<void> }> }>

const silent = { info: () => {}, warn: () => {} }

describe('The storage in docs/adding-a-storage.md', function () {
  this.timeout(60_000)
  let compiled: Readonly<{ folder: string; output: string }>
  let example: Example

  before(async () => {
    compiled = await compile()
    expect(compiled.output).to.equal('')
    example = await import(pathToFileURL(join(compiled.folder, 'example.js')).href)
  })

  after(() => rm(compiled.folder, { recursive: true }))

  const openOn = (server: ObjectServer, options: Pick<Partial<Options>, 'users' | 'firstId'> = {}) =>
    example.objectStorage({ users: [], ...options, url: server.url, log: silent, timers: nodeTimers })

  it('answers Corrupt when its object is malformed', async () => {
    const server = await objectServer()
    server.put('{"snippets":[]}')
    const { snippets, close } = openOn(server)
    expect(await snippets.create(draft())()).to.have.nested.property('left._tag', 'Corrupt')
    await close()
    server.close()
  })

  storageContract('the example', {
    open: async options => {
      const server = await objectServer()
      const storage = openOn(server, options)
      await storage.prepared
      const close = async () => {
        await storage.close()
        server.close()
      }
      return { ...storage, close }
    },
    // each of its writes stores everything
    streamSize: 300,
  })

  outageContract('the example', {
    faults: objectFaults,
    isRemote: true,
    size: 300,
    paceMs: 200,
    create: async fault => {
      const server = await objectServer()
      let isAway = false
      return {
        open: async users => {
          const storage = openOn(server, { users })
          if (!isAway) await storage.prepared
          return storage
        },
        break: () => {
          isAway = true
          server.break(fault)
        },
        restore: () => {
          isAway = false
          return server.restore()
        },
        remove: async () => server.close(),
      }
    },
  })
})

/** Inside this package, which has the dependencies of an adapter. */
const compile = async () => {
  const page = await readFile(join(root, 'docs/adding-a-storage.md'), 'utf8')
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
  const folder = await mkdtemp(join(root, 'test/dist/example-'))
  const compilerOptions = { composite: false, declaration: false, rootDir: '.', outDir: '.', types: ['node'] }
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'example.ts'), code)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const output = await new Promise<string>(resolve =>
    execFile(process.execPath, [compiler, '-p', folder], (_error, stdout) => resolve(stdout)),
  )
  return { folder, output }
}
