import { setTimeout as pause } from 'node:timers/promises'
import { indexBuildsOn } from '@snippets/adapters-mongo/snippets/index-builds.js'
import { type Index, wantedIndexes } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import { prepareIndexes } from '@snippets/adapters-mongo/snippets/prepare-indexes.js'
import { standingIndexes } from '@snippets/adapters-mongo/snippets/standing-indexes.js'
import { expect } from 'chai'
import { type Db, type Document, MongoServerError, UUID } from 'mongodb'
import { describeMongo, freshDatabase, silent } from '../support/mongo/database.js'
import { replicaSetFront } from '../support/mongo/replica-set-front.js'

const spec = ({ name, key }: Index) => ({ v: 2, key, name })
const [first, ...others] = wantedIndexes
if (first === undefined) throw new Error('no index is wanted')

type Played = Readonly<{
  /** What it lists as indexes. */
  firstBatch: readonly object[]
  create: (indexes: readonly Index[]) => Promise<void>
  drop?: (name: string) => Promise<unknown>
  /** What it tells of operations that are under way. */
  currentOp?: (pipeline: readonly Document[]) => Promise<readonly Document[]>
}>

/** A database with a row, which answers like this. */
const played = ({ firstBatch, create, drop, currentOp = async () => [] }: Played): Db => {
  const collection = { estimatedDocumentCount: async () => 1, createIndexes: create, dropIndex: drop }
  const admin = { aggregate: (pipeline: readonly Document[]) => ({ toArray: () => currentOp(pipeline) }) }
  return {
    databaseName: 'mine',
    command: async () => ({ cursor: { firstBatch } }),
    collection: () => collection,
    client: { db: () => admin },
  } as unknown as Db
}

describe('Preparing the indexes', () => {
  const older = { v: 2, key: { created_at: -1, _id: 1 }, name: 'page(created_at: -1, _id: 1)' }

  /** What is sent and logged where the database lists these indexes; it may refuse to create others. */
  const prepareWhere = async (firstBatch: readonly object[], refuse?: MongoServerError) => {
    const sent: string[] = []
    const logged: string[] = []
    const write = (fields: object, message: string) => void logged.push(`${message} ${Object.values(fields)[0]}`)
    const log = { info: write, warn: write }
    const standing = standingIndexes(log)
    const create = async ([one]: readonly Index[]) => {
      sent.push(`create ${one?.name}`)
      if (refuse !== undefined) throw refuse
    }
    const db = played({ firstBatch, create, drop: async name => sent.push(`drop ${name}`) })
    await prepareIndexes({ db, collection: 'snippets', standing, log })
    return { sent, logged, missing: standing.missing() }
  }

  it('waits for a build that goes on, and does not believe it done before', async () => {
    const { sent, logged, missing } = await prepareWhere([
      { spec: spec(first), buildUUID: new UUID() },
      ...others.map(spec),
      older,
    ])
    expect(sent).to.deep.equal([`create ${first.name}`, `drop ${older.name}`])
    expect(logged).to.include(`an index is being built ${first.name}`)
    expect(missing).to.equal(0)
  })

  it('leaves a hidden index alone, and keeps the older ones meanwhile', async () => {
    const { sent, logged, missing } = await prepareWhere([{ ...spec(first), hidden: true }, ...others.map(spec), older])
    expect(sent).to.deep.equal([])
    expect(logged).to.deep.equal([`an index of pages is hidden, so it is not used ${first.name}`])
    expect(missing).to.equal(1)
  })

  it('goes on when the database refuses an index, and keeps the older ones', async () => {
    for (const code of [67, 85, 86]) {
      const refusal = new MongoServerError({ code, errmsg: 'too many indexes, or a conflict' })
      const { sent, missing } = await prepareWhere([...others.slice(1).map(spec), older], refusal)
      expect(sent).to.deep.equal([first, ...others.slice(0, 1)].map(({ name }) => `create ${name}`))
      expect(missing).to.equal(2)
    }
  })

  it('does not take an index with a collation for its own', async () => {
    const { sent, missing } = await prepareWhere([
      { ...spec(first), name: 'theirs', collation: { locale: 'de' } },
      ...others.map(spec),
    ])
    expect(sent).to.deep.equal([`create ${first.name}`])
    expect(missing).to.equal(0)
  })

  it('does not mind when another process has dropped an older index, but fails when it cannot be dropped', async () => {
    const dropWhere = async (code: number) => {
      const drop = async () => {
        throw new MongoServerError({ code })
      }
      const db = played({ firstBatch: [...wantedIndexes.map(spec), older], create: async () => {}, drop })
      await prepareIndexes({ db, collection: 'snippets', standing: standingIndexes(silent), log: silent })
    }
    await dropWhere(27)
    expect(await dropWhere(189).catch(reason => reason)).to.have.property('code', 189)
  })

  it('fails, to be tried again, when the database goes away', async () => {
    const error = await prepareWhere([], new MongoServerError({ code: 189 })).catch(reason => reason)
    expect(error).to.have.property('code', 189)
  })
})

describe('A read with an index', () => {
  it('fails when it fails for another reason, and the index stays', async () => {
    const standing = standingIndexes(silent)
    standing.built(first)
    let reads = 0
    const failing = async (): Promise<never> => {
      reads++
      throw new MongoServerError({ code: 50 })
    }
    expect(await standing.reading(first, failing).catch(error => error)).to.have.property('code', 50)
    expect(reads).to.equal(1)
    expect(standing.isStanding(first)).to.equal(true)
  })
})

describeMongo('The connections of index builds', engine => {
  it('are closed when the work has failed', async () => {
    const database = freshDatabase(engine)
    const front = await replicaSetFront(database.url)
    const work = indexBuildsOn(front.url, 'mine').run(async db => {
      await db.command({ ping: 1 })
      throw new Error('no build')
    })
    expect(await work.catch(String)).to.equal('Error: no build')
    while (front.connections() > 0) await pause(5)
    front.close()
    await database.drop()
  })
})

describe('The progress of an index build', () => {
  type Line = Readonly<{ message: string; fields: object }>

  /** Builds one index, until so many lines tell how far it is. */
  const linesWhile = async (currentOp: NonNullable<Played['currentOp']>, enough = 2): Promise<readonly Line[]> => {
    const lines: Line[] = []
    let finish = (): void => {}
    const create = () => new Promise<void>(resolve => (finish = resolve))
    const log = {
      info: (fields: object, message: string) => {
        if (message === 'still building an index') lines.push({ message, fields: withoutTime(fields) })
        if (lines.length === enough) finish()
      },
      warn: (fields: object, message: string) => void lines.push({ message, fields }),
    }
    const db = played({ firstBatch: others.map(spec), create, currentOp })
    await prepareIndexes({ db, collection: 'snippets', standing: standingIndexes(log), log, progressEveryMs: 5 })
    return lines
  }

  const withoutTime = (fields: object): object => {
    expect(fields).to.have.property('ms').that.is.a('number')
    return { ...fields, ms: undefined }
  }
  const line = (fields: object) => ({
    message: 'still building an index',
    fields: { index: first.name, ms: undefined, ...fields },
  })

  it('is logged again and again, as the database tells it', async () => {
    const name = 'Index Build: scanning collection'
    let asked = 0
    const lines = await linesWhile(async ([{ $currentOp } = {}, { $match } = {}]) => {
      expect($currentOp).to.deep.equal({ allUsers: true })
      expect($match).to.include({ ns: 'mine.snippets' })
      asked++
      return [{ msg: `${name} ${name}: ${asked}00/900 11%`, progress: { done: asked * 100, total: 900n } }]
    })
    const step = 'scanning collection'
    expect(lines).to.deep.equal([line({ step, done: 100, total: 900 }), line({ step, done: 200, total: 900 })])
  })

  it('is the sum of all shards', async () => {
    const shard = (done: number) => ({ msg: 'Index Build: draining', progress: { done, total: 10 } })
    const [one] = await linesWhile(async () => [shard(3), shard(4)], 1)
    expect(one).to.deep.equal(line({ step: 'draining', done: 7, total: 20 }))
  })

  it('is only how long it takes where the database tells no more', async () => {
    const unauthorized = async () => {
      throw new MongoServerError({ code: 13, errmsg: 'not authorized on admin' })
    }
    for (const currentOp of [unauthorized, async () => []])
      expect(await linesWhile(currentOp)).to.deep.equal([line({}), line({})])
  })

  it('is not logged once the index is built', async () => {
    let answer = (_: readonly Document[]): void => {}
    let finish = (): void => {}
    const logged: string[] = []
    const log = { info: (_: object, message: string) => void logged.push(message), warn: () => {} }
    const db = played({
      firstBatch: others.map(spec),
      create: () => new Promise<void>(resolve => (finish = resolve)),
      currentOp: () => {
        finish()
        return new Promise(resolve => (answer = resolve))
      },
    })
    await prepareIndexes({ db, collection: 'snippets', standing: standingIndexes(log), log, progressEveryMs: 5 })
    answer([])
    await new Promise(setImmediate)
    expect(logged.at(-1)).to.equal('created indexes')
  })
})
