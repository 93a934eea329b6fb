import { join } from 'node:path'
import { root } from '../../support/workspace-root.js'
import { type MeasuredProcess, serviceCommand } from '../measuring/measured-process.js'
import { rows } from './rows.js'

const folder = join(root, 'test/bench-peers')

/** The servers by name. The first two do nothing else; the others do the same work as the service. */
export const scripts: Readonly<Record<string, string>> = {
  'node:http, nothing else': join(folder, 'node-http.js'),
  'fastify, nothing else': join(folder, 'fastify-bare.js'),
  'fastify, the same work': join(folder, 'fastify.js'),
  'koa, the same work': join(folder, 'koa.js'),
  'this service': serviceCommand.script,
}

const mustHave = ['etag', 'link', 'location', 'x-request-id', 'x-content-type-options', 'cache-control']

/** Throws if the servers answer differently, apart from times, links and request ids. */
export const checkAnswers = async (servers: readonly Pick<MeasuredProcess, 'port'>[]): Promise<void> => {
  for (const { name, request } of rows) {
    const { path, ...asked } = request(0)
    const answers = new Set<string>()
    for (const { port } of servers) {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...asked, headers })
      const body = (await answer.text()).replace(/"(\w+_at|next|previous)":"[^"]+"/g, '$1')
      answers.add([answer.status, mustHave.filter(header => answer.headers.has(header)), body].join(' '))
    }
    if (answers.size > 1) throw new Error(`To ${name} they answer differently:\n${[...answers].join('\n')}`)
  }
}
