import { setTimeout as pause } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'

const { MONGO_IMAGE = 'mongo:8' } = process.env

/**
 * Starts MongoDB in a container, as a replica set of one. Returns undefined if no Docker engine answers. Only with a
 * `hostPort` the URL stays the same after a restart.
 */
export const startMongo = async (hostPort?: number) => {
  const docker = await getContainerRuntimeClient().catch(() => undefined)
  if (docker === undefined) return undefined
  const container = await new GenericContainer(MONGO_IMAGE)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withEnvironment({ REPLICA_SET: 'rs0' })
    .withExposedPorts(hostPort === undefined ? 27017 : { container: 27017, host: hostPort })
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start()
  const stop = async (): Promise<void> => void (await container.stop())
  const url = `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`
  const handle = docker.container.getById(container.getId())
  /** Kills the processes of the database, as with SIGKILL. */
  const kill = async (): Promise<void> => void (await handle.kill())
  /** Starts a killed database again on its data. */
  const restart = async (): Promise<void> => {
    await handle.start()
    await becomePrimary(url)
  }
  try {
    await becomePrimary(url)
    return { url, stop, kill, restart }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Initiates the replica set of a mongod. An engine that starts as primary does not support the command. */
const becomePrimary = async (url: string): Promise<void> => {
  const client = new MongoClient(url)
  try {
    const admin = client.db('admin')
    await admin
      .command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] } })
      .catch(() => undefined)
    const isPrimary = async () => {
      const { isWritablePrimary } = await admin.command({ hello: 1 })
      return isWritablePrimary === true
    }
    while (!(await isPrimary())) await pause(100)
  } finally {
    await client.close()
  }
}
