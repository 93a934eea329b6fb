import { startMongo } from '@snippets/test/runner/mongo-container.js'

/** Runs the work on MONGODB_URL, or on a container of its own. Returns undefined if no Docker engine answers. */
export const withMongo = async <A>(work: (url: string) => Promise<A>): Promise<A | undefined> => {
  const started = process.env.MONGODB_URL ? undefined : await startMongo()
  const url = process.env.MONGODB_URL ?? started?.url
  if (url !== undefined) return work(url).finally(() => started?.stop())
  console.error('MongoDB is left out: start Docker, or set MONGODB_URL to a replica set.')
  return undefined
}
