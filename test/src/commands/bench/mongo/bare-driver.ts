import { type Collection, Long, MongoClient } from 'mongodb'
import { contentOf } from '../content.js'

/** A child process: what the service asks of the database, asked by a loop over the driver, without HTTP and without a check. */
export type DriverTask = Readonly<{ row: string; round: number; requests: number; snippets: number }>
export type DriverReply = Readonly<{ cpuMicroseconds: number }>

const loops = 64
const [, , url = ''] = process.argv
const client = new MongoClient(url, { useBigInt64: true, writeConcern: { w: 'majority' } })
const snippets: Collection<{ _id: Long }> = client.db().collection('snippets')
const written: Collection<{ _id: Long }> = client.db().collection('written_by_driver')

const idOf = (serial: number, count: number): Long => Long.fromNumber(1 + ((serial * 7919) % count))

const page = async (): Promise<unknown> => {
  const filter = { language: 'python' }
  const sort = { created_at: -1, _id: -1 } as const
  return Promise.all([snippets.find(filter, { sort, skip: 20, limit: 10 }).toArray(), snippets.countDocuments(filter)])
}

const operations: Readonly<Record<string, (serial: number, task: DriverTask) => Promise<unknown>>> = {
  detail: (serial, task) => snippets.findOne({ _id: idOf(serial, task.snippets) }),
  page,
  patch: (serial, { snippets: count }) => {
    const { title } = contentOf(serial)
    const change = { $set: { title }, $inc: { version: 1 } }
    return snippets.findOneAndUpdate({ _id: idOf(serial, count) }, change, { returnDocument: 'after' })
  },
  create: (serial, { round, requests }) => {
    const document = { ...contentOf(serial), created_at: new Date(), version: 1 }
    return written.insertOne({ _id: Long.fromNumber(round * requests + serial + 1), ...document })
  },
}

const run = async (task: DriverTask): Promise<DriverReply> => {
  const operation = operations[task.row]
  if (operation === undefined) throw new Error(`there is no row ${task.row}`)
  let next = 0
  const loop = async (): Promise<void> => {
    for (let serial = next++; serial < task.requests; serial = next++) await operation(serial, task)
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: loops }, loop))
  const { user, system } = process.cpuUsage(before)
  return { cpuMicroseconds: (user + system) / task.requests }
}

process.on('message', async (task: DriverTask) => process.send?.(await run(task)))
process.on('disconnect', () => process.exit())
