import { type AdminDeps, createAdminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { cannotListen } from './cannot-listen.js'
import type { Lifetime } from './lifetime.js'

type Address = Readonly<{ host: string; port: number }>
type Listener = Parameters<typeof listen>[0]

/** Listens until the end of the lifetime, and returns the URL. */
export const listenOn = async (
  lifetime: Lifetime,
  prefix: '' | 'ADMIN_',
  address: Address,
  listener: Listener,
): Promise<string> => {
  try {
    const { url, stop } = await listen(listener, address)
    lifetime.opened(stop)
    return url
  } catch (error) {
    throw cannotListen(prefix, address, error)
  }
}

export const listenOnAdmin = (lifetime: Lifetime, address: Address, deps: AdminDeps): Promise<string> =>
  listenOn(lifetime, 'ADMIN_', address, createAdminApp(deps))
