import { MongoClient } from 'mongodb'
import { median, table } from '../measuring/command.js'
import { languageOf } from '../measuring/load.js'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { startMongo } from '../mongo-container.js'
import { contentOf, fill, idOf, measure, patch, rows } from './rows.js'

/** Sends the commands of the service to the database, without checks. */
const loopsOf = (client: MongoClient): Readonly<Record<string, (serial: number) => Promise<unknown>>> => {
  const read = client.db().collection<{ _id: bigint }>('snippets', { readConcern: { level: 'majority' } })
  const written = client.db().collection<{ _id: bigint; created_at: Date }>('written_by_the_loop')
  let lastId = 0n
  return {
    detail: serial => read.findOne({ _id: BigInt(idOf(serial)) }),
    page: serial => {
      const filter = { language: languageOf(serial) }
      const options = { sort: { created_at: -1, _id: -1 }, skip: 10 * (serial % 100), limit: 10 } as const
      return Promise.all([read.find(filter, options).toArray(), read.countDocuments(filter)])
    },
    create: serial => written.insertOne({ _id: ++lastId, ...contentOf(serial, 'new'), created_at: new Date() }),
    patch: serial => {
      const change = { $set: { title: `Patched ${serial}` }, $inc: { version: 1 } }
      return read.findOneAndUpdate({ _id: BigInt(idOf(serial)) }, change, { returnDocument: 'after' })
    },
  }
}

const amount = 1500

/** Returns the processor time of this process per operation in microseconds, with 64 operations at a time. */
const measureLoop = async (operation: (serial: number) => Promise<unknown>, from: number): Promise<number> => {
  let serial = from
  const before = process.cpuUsage()
  const loop = async (): Promise<void> => {
    while (serial < from + amount) await operation(serial++)
  }
  await Promise.all(Array.from({ length: 64 }, loop))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / amount
}

/** Compares the service on MongoDB with a loop over the driver that sends the same commands without HTTP. */
export const measureMongo = async (rounds: number): Promise<string> => {
  const container = process.env.MONGODB_URL ? undefined : await startMongo()
  const url = new URL(process.env.MONGODB_URL ?? container?.url ?? '')
  url.pathname = `/snippets_bench_${process.pid}`
  const client = new MongoClient(url.href, { useBigInt64: true })
  const server = await startMeasured({ ...serviceCommand, env: { STORAGE: 'mongo', MONGODB_URL: url.href } })
  try {
    await fill(server, 64)
    const loops = loopsOf(client)
    const lines: string[][] = []
    for (const { name, request } of [...rows, patch]) {
      const loop = loops[name]
      if (loop === undefined) continue
      const taken: number[][] = []
      for (let round = 0; round <= rounds; round++) {
        const from = round * amount
        const own = await measure(server, { request, amount, from })
        const bare = await measureLoop(loop, from)
        // the first round is a warm-up
        if (round > 0) taken.push([own, bare, own / bare])
      }
      const medianAt = (column: number): number => median(taken.map(round => round[column] ?? Number.NaN))
      lines.push([name, medianAt(0).toFixed(0), medianAt(1).toFixed(0), medianAt(2).toFixed(2)])
    }
    return table(['µs of processor time', 'the service on MongoDB', 'a loop over the driver', 'ratio'], lines)
  } finally {
    await server.end('SIGKILL')
    await client.db().dropDatabase()
    await client.close()
    await container?.stop()
  }
}
