import type { listenForAdmin } from '@snippets/adapters-http/admin/admin-listener.js'
import { loadParser } from '@snippets/adapters-http/request/json-parser.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { type Address, cannotListen } from './cannot-listen.js'
import type { Lifetime } from './lifetime.js'
import type { PublicApp } from './public-app.js'
import type { Settings } from './settings/settings.js'

type Admin = Parameters<typeof listenForAdmin>[0]

/** Listens until the end of the lifetime. If the body parser cannot be loaded then, the process ends: nobody catches that. */
export const listenOn = async (
  lifetime: Lifetime,
  settings: Pick<Settings, 'host' | 'port' | 'limits'>,
  { listener, refusals }: PublicApp,
): Promise<Listening> => {
  const listening = await closedWith(lifetime, '', settings, listen(listener, settings, settings.limits, refusals))
  void loadParser()
  return listening
}

export const listenOnAdmin = async (lifetime: Lifetime, address: Address, admin: Admin): Promise<string> => {
  const { listenForAdmin } = await import('@snippets/adapters-http/admin/admin-listener.js')
  return (await closedWith(lifetime, 'ADMIN_', address, listenForAdmin(admin, address))).url
}

const closedWith = async <L extends Pick<Listening, 'stop'>>(
  lifetime: Lifetime,
  prefix: '' | 'ADMIN_',
  address: Address,
  listening: Promise<L>,
): Promise<L> => {
  try {
    const opened = await listening
    lifetime.opened(opened.stop)
    return opened
  } catch (error) {
    throw cannotListen(prefix, address, error)
  }
}
