import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../../support/workspace-root.js'

export type Competitor = Readonly<{
  name: string
  title: string
  /** Arguments of node. */
  command: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Needs packages that only the bench installs. */
  isPeer?: true
  /** Only measured when it is named. */
  isExtra?: true
}>

const service = ['--enable-source-maps', join(root, 'apps/dist/main.js')]
const own = { PORT: '0', ACCESS_LOG: 'off' }

export const peersFolder = join(root, 'test/bench-peers')
const peer = (name: string): Competitor => ({
  name,
  title: name,
  command: [join(peersFolder, `${name}.js`)],
  environment: {},
  isPeer: true,
})

/** What all others are compared with. */
export const limit = 'node'

export const competitors: readonly Competitor[] = [
  {
    name: limit,
    title: 'node:http',
    command: [fileURLToPath(new URL('node-http.js', import.meta.url))],
    environment: {},
  },
  { name: 'snippets', title: 'this service', command: service, environment: own },
  {
    name: 'snippets-logged',
    title: 'this service, access log',
    command: service,
    environment: { ...own, ACCESS_LOG: 'all' },
  },
  {
    name: 'snippets-metrics',
    title: 'this service, metrics',
    command: service,
    environment: { ...own, ADMIN_PORT: '0' },
    isExtra: true,
  },
  ...['fastify', 'hono', 'koa', 'express'].map(peer),
]
