import { listenForAdmin } from '@snippets/adapters-http/admin/admin-listener.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { cannotListen } from './cannot-listen.js'
import type { Lifetime } from './lifetime.js'
import type { Settings } from './settings.js'

type Address = Readonly<{ host: string; port: number }>
type Listener = Parameters<typeof listen>[0]
type Admin = Parameters<typeof listenForAdmin>[0]

/** Listens until the end of the lifetime, and returns the URL. */
export const listenOn = (
  lifetime: Lifetime,
  settings: Pick<Settings, 'host' | 'port' | 'limits'>,
  listener: Listener,
): Promise<string> => until(lifetime, '', settings, listen(listener, settings, settings.limits))

export const listenOnAdmin = (lifetime: Lifetime, address: Address, admin: Admin): Promise<string> =>
  until(lifetime, 'ADMIN_', address, listenForAdmin(admin, address))

const until = async (
  lifetime: Lifetime,
  prefix: '' | 'ADMIN_',
  address: Address,
  listening: Promise<Pick<Listening, 'url' | 'stop'>>,
): Promise<string> => {
  try {
    const { url, stop } = await listening
    lifetime.opened(stop)
    return url
  } catch (error) {
    throw cannotListen(prefix, address, error)
  }
}
