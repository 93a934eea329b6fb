import { setTimeout as pause } from 'node:timers/promises'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { type BreakableData, outageContract } from '../../contracts/storage/outage-contract.js'
import { isNetworkFault, networkFaults } from '../../support/faults/tcp-proxy.js'
import { describeMongo, freshDatabase, testRuntime } from '../../support/mongo/database.js'
import { proxyTo } from '../../support/mongo/mongo-proxy.js'
import { replicaSetFront } from '../../support/mongo/replica-set-front.js'

type Route = Readonly<{ url: string; start: () => Promise<void>; end: () => unknown; close: () => void }>

/** Opens a proxy between a storage and its database that causes the fault. */
const routeTo = async (databaseUrl: string, fault: string): Promise<Route> => {
  if (!isNetworkFault(fault)) {
    const { url, stepDown, elect, close } = await replicaSetFront(databaseUrl)
    return { url, start: async () => stepDown(), end: elect, close }
  }
  const { url, inFlight, start, restore, close } = await proxyTo(databaseUrl)
  const hit = async (): Promise<void> => {
    // starts the fault during a list and a write
    await Promise.race([inFlight('getMore', 'insert'), pause(2000)])
    start(fault)
  }
  return { url, start: hit, end: restore, close }
}

describeMongo('MongoDB', engine => {
  const create = async (fault: string): Promise<BreakableData> => {
    const { url, drop } = freshDatabase(engine)
    const way = await routeTo(url, fault)
    let isAway = false
    return {
      open: async users => {
        const storage = openMongoStorage({ url: way.url, users, ...testRuntime })
        if (!isAway) await Promise.all([storage.prepared, storage.indexed])
        return storage
      },
      break: async () => {
        await way.start()
        isAway = true
      },
      restore: async () => {
        await way.end()
        isAway = false
      },
      remove: async () => {
        way.close()
        await drop()
      },
    }
  }
  outageContract('MongoDB', {
    faults: { ...networkFaults, gone: [...networkFaults.gone, 'election'] },
    create,
    isRemote: true,
  })
})
