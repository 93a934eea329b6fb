import { join } from 'node:path'
import { mock } from 'node:test'
import { openDirectorySource, openDirectoryTarget } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { rowKey } from '@snippets/adapters-memory/leveldb/stored-row.js'
import { rowCodecs } from '@snippets/domain/entities/row.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import { namesOf } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { left as failing } from 'fp-ts/lib/TaskEither.js'
import {
  failureOf,
  fill,
  rowStoreContract,
  snapshotOf,
  snippetRow,
  userRow,
} from '../../contracts/storage/row-store-contract.js'
import { anId, anyRevision, draft, must } from '../../support/snippets.js'
import { directories, onBatch, openDirectory, tryDirectory } from '../../support/storage/data-directory.js'

const rowsIn = (directory: string) => ({
  openSource: openDirectorySource(directory),
  openTarget: openDirectoryTarget(directory),
})

const noSnapshot = failing(rowFailure('there is no snapshot'))

describe('The rows of a data directory', () => {
  const newDirectory = directories()
  rowStoreContract('a data directory', {
    isShared: false,
    create: async () => {
      const directory = await newDirectory()
      return { ...rowsIn(directory), openStorage: users => openDirectory(directory, { users }), remove: () => {} }
    },
    unreachable: async () => rowsIn(join(await newDirectory(), 'missing', 'directory')),
  })

  const open = async (directory: string) => must(await openDirectoryTarget(directory)())

  it('are stored in the order of their kinds', () => {
    const keys = namesOf(rowCodecs).map(kind => rowKey(kind, 1n))
    expect(keys).to.deep.equal(keys.toSorted())
  })

  it('of an interrupted transfer are not served, and are deleted by the next transfer', async () => {
    const directory = await newDirectory()
    const interrupted = await open(directory)
    must(await interrupted.begin(9n)())
    must(await interrupted.add([userRow(1n), snippetRow(1n)])())
    must(await interrupted.close())
    const rest = 'holds the rest of an interrupted transfer. Repeat it, or use another directory'
    expect(await tryDirectory(directory)).to.deep.equal(left(rowFailure(rest)))
    expect(await failureOf(openDirectorySource(directory))).to.equal(rest)
    const failing = await open(directory)
    onBatch(() => Promise.reject(new Error('broken')))
    expect(await failureOf(failing.begin(5n)).finally(() => mock.reset())).to.equal('broken')
    must(await failing.close())
    expect(await tryDirectory(directory)).to.deep.equal(left(rowFailure(rest)))
    const repeated = await open(directory)
    await fill(repeated, 5n, [snippetRow(2n)])
    expect(await snapshotOf(repeated)).to.deep.equal({ lastId: 5n, rows: [snippetRow(2n)] })
    must(await repeated.close())
    const storage = await openDirectory(directory)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(6n)
    await storage.close()
  })

  it('of a snapshot are those of one moment, while the storage works', async () => {
    const storage = await openDirectory(await newDirectory())
    for (let i = 0; i < 3; i++) must(await storage.snippets.create(draft())())
    const { lastId, rows } = must(await (storage.snapshot ?? noSnapshot)())
    must(await storage.snippets.delete(anId(1n), anyRevision)())
    must(await storage.snippets.create(draft())())
    const ids: bigint[] = []
    for await (const batch of rows) ids.push(...must(batch).map(({ entity }) => entity.id))
    expect({ lastId, ids }).to.deep.equal({ lastId: 3n, ids: [1n, 2n, 3n] })
    await storage.close()
  })

  it('of a snapshot have the users whom the storage serves', async () => {
    const ada = { id: anId(1n), username: 'ada' }
    const storage = await openDirectory(await newDirectory(), { users: [ada] })
    const { rows } = must(await (storage.snapshot ?? noSnapshot)())
    const users: unknown[] = []
    for await (const batch of rows) users.push(...must(batch))
    expect(users).to.deep.equal([{ kind: 'user', entity: ada }])
    await storage.close()
  })
})
