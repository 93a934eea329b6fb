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
    const route = await routeTo(url, fault)
    let isBroken = false
    return {
      open: async users => {
        const storage = openMongoStorage({ url: route.url, users, ...testRuntime })
        if (!isBroken) await Promise.all([storage.prepared, storage.indexed])
        return storage
      },
      break: async () => {
        await route.start()
        isBroken = true
      },
      restore: async () => {
        await route.end()
        isBroken = false
      },
      remove: async () => {
        route.close()
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
