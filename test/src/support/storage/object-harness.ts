import { nodeTimers } from '@snippets/apps/node-timers.js'
import type { Id } from '@snippets/domain/values/id.js'
import type { OutageHarness } from '../../contracts/storage/outage-contract.js'
import type { StorageHarness } from '../../contracts/storage/storage-contract.js'
import { isNetworkFault, networkFaults, tcpProxy } from '../faults/tcp-proxy.js'
import { silentLog } from '../service/logs.js'
import { objectServer } from './object-server.js'
import { type ObjectOptions, objectStorage } from './object-storage.js'

const openOn = (url: string, options: Pick<Partial<ObjectOptions>, 'users' | 'firstId'> = {}) =>
  objectStorage({ users: [], ...options, url, log: silentLog, timers: nodeTimers })

const openNew = async (options: Parameters<StorageHarness['open']>[0] = {}) => {
  const server = await objectServer()
  const storage = openOn(server.url, options)
  await storage.prepared
  const close = async (): Promise<void> => {
    await storage.close()
    server.close()
  }
  return {
    ...storage,
    close,
    corrupt: (id: Id) => server.put(server.get().replace(`"id":"${id}"`, '"id":"malformed"')),
    forbidWrites: server.forbidWrites,
  }
}

export const objectHarness = {
  open: openNew,
  openCorruptible: openNew,
  openForbidding: openNew,
  // each write stores the whole collection
  streamSize: 300,
} as const satisfies StorageHarness

export const objectOutages: OutageHarness = {
  faults: { ...networkFaults, crash: ['crash'] },
  isRemote: true,
  size: 300,
  paceMs: 200,
  create: async fault => {
    const server = await objectServer()
    const proxy = await tcpProxy(server.url)
    let isBroken = false
    return {
      open: async users => {
        const storage = openOn(proxy.url, { users })
        if (!isBroken) await storage.prepared
        return storage
      },
      break: () => {
        isBroken = true
        return isNetworkFault(fault) ? proxy.start(fault, 'PUT') : server.crash()
      },
      restore: () => {
        isBroken = false
        return isNetworkFault(fault) ? proxy.restore() : server.restart()
      },
      remove: async () => {
        proxy.close()
        server.close()
      },
    }
  },
}
