import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { type BreakableData, outageContract } from '../../contracts/storage/outage-contract.js'
import { startMongo } from '../../runner/mongo-container.js'
import { isNetworkFault, networkFaults, tcpProxy } from '../../support/faults/tcp-proxy.js'
import { closedPort } from '../../support/free-port.js'
import { describeMongo, sharedDatabase } from '../../support/mongo/database.js'
import { replicaSetFront } from '../../support/mongo/replica-set-front.js'
import { silentLog } from '../../support/service/logs.js'

/** A database, and the fault that can befall it. */
type BreakableDatabase = Omit<BreakableData, 'open'> & Readonly<{ url: string }>

/** Starts a database in a container of its own, because a crash would break the other tests. */
const crashable = async (): Promise<BreakableDatabase> => {
  const container = await startMongo(await closedPort())
  if (container === undefined) throw new Error('No Docker engine answers.')
  return { url: container.url, break: container.kill, restore: container.restart, remove: container.stop }
}

/** The reply of a mongos, which answers only pings by itself. */
const noPrimary = { ok: 0, code: 133, codeName: 'FailedToSatisfyReadPreference', errmsg: 'no primary' }

/** Creates a database behind a proxy that causes the fault. */
const behindProxy = async (engine: string, fault: string): Promise<BreakableDatabase> => {
  const { url: databaseUrl, drop } = sharedDatabase(engine)
  const removing = (close: () => void) => async () => {
    close()
    await drop()
  }
  if (!isNetworkFault(fault)) {
    const { url, stepDown, elect, intercept, close } = await replicaSetFront(databaseUrl)
    const remove = removing(close)
    if (fault === 'election') return { url, break: stepDown, restore: elect, remove }
    const rejectAll = () => intercept(command => ('ping' in command ? undefined : noPrimary))
    return { url, break: rejectAll, restore: () => intercept(() => undefined), remove }
  }
  const { url, start, restore, connections, close } = await tcpProxy(databaseUrl)
  return {
    url,
    break: isBusy => start(fault, ...(isBusy ? ['getMore', 'insert'] : [])),
    restore,
    connections,
    remove: removing(close),
  }
}

describeMongo('MongoDB', engine => {
  const create = async (fault: string): Promise<BreakableData> => {
    const { url, ...database } = await (fault === 'crash' ? crashable() : behindProxy(engine, fault))
    return { open: async users => openMongoStorage({ url, users, log: silentLog }), ...database }
  }
  const crash = process.env.OWN_MONGO === '1' ? ({ crash: ['crash'] } as const) : {}
  outageContract('MongoDB', {
    faults: { ...networkFaults, gone: [...networkFaults.gone, 'election', 'only pings work'], ...crash },
    create,
    maxConnections: createConnection(engine).maxInFlight,
    isRemote: true,
  })
})
