import { join } from 'node:path'
import { root } from '../../support/workspace-root.js'
import { type MeasuredProcess, serviceScript } from '../measuring/measured-process.js'
import { rows } from './rows.js'

const folder = join(root, 'test/bench-peers')

/** The servers by name. The first two only respond; the others do the same work as the service. */
export const scripts: Readonly<Record<string, string>> = {
  'node:http, nothing else': join(folder, 'node-http.js'),
  'fastify, nothing else': join(folder, 'fastify-bare.js'),
  'fastify, the same work': join(folder, 'fastify.js'),
  'koa, the same work': join(folder, 'koa.js'),
  'this service': serviceScript,
}

const mustHave = ['etag', 'location', 'x-request-id', 'x-content-type-options', 'cache-control']

/** Throws if the responses of the servers differ, apart from times, links and request ids. */
export const checkResponses = async (servers: readonly MeasuredProcess[]): Promise<void> => {
  for (const { name, request } of rows) {
    const { path, ...init } = request(0)
    const responses = new Set<string>()
    for (const { port } of servers) {
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
      const body = (await response.text()).replace(/"(\w+_at|next|previous)":"[^"]+"/g, '$1')
      responses.add([response.status, mustHave.filter(header => response.headers.has(header)), body].join(' '))
    }
    if (responses.size > 1) throw new Error(`The responses to ${name} differ:\n${[...responses].join('\n')}`)
  }
}
