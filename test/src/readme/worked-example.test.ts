import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeTimers } from '@snippets/apps/node-timers.js'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { outageContract } from '../contracts/storage/outage-contract.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { silentLog } from '../support/service/logs.js'
import { draft } from '../support/snippets.js'
import { type ObjectServer, objectFaults, objectServer } from '../support/storage/object-server.js'
import { type ObjectOptions, objectStorage } from '../support/storage/object-storage.js'
import { root } from '../support/workspace-root.js'
import { codeSpans } from './documents.js'

describe('The storage in docs/adding-a-storage.md', function () {
  this.timeout(60_000)

  const openOn = (server: ObjectServer, options: Pick<Partial<ObjectOptions>, 'users' | 'firstId'> = {}) =>
    objectStorage({ users: [], ...options, url: server.url, log: silentLog, timers: nodeTimers })

  it('is quoted verbatim', async () => {
    const page = await readFile(join(root, 'docs/adding-a-storage.md'), 'utf8')
    const source = await readFile(join(root, 'test/src/support/storage/object-storage.ts'), 'utf8')
    const quotes = [...page.matchAll(/^```ts\n(.*?)^```$/gms)]
    expect(quotes).to.not.deep.equal([])
    for (const [, quote] of quotes) expect(source).to.contain(quote)
  })

  it('stands beside a table of helpers that exist', async () => {
    const words = new Set(packages.flatMap(({ sources }) => sources.flatMap(({ text }) => text.match(/\w+/g) ?? [])))
    const page = await readFile(join(root, 'docs/adding-a-storage.md'), 'utf8')
    const helpers = codeSpans(page).filter(span => /^[a-z]+[A-Z]\w*$/.test(span))
    expect(helpers).to.include('operationQueue')
    expect(helpers.filter(name => !words.has(name))).to.deep.equal([])
  })

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
    // each write stores the whole collection
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
