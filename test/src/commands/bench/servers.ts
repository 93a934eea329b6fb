import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../support/workspace-root.js'
import { type Command, type MeasuredProcess, serviceCommand } from '../measuring/measured-process.js'
import { rows } from './rows.js'

export type Competitor = Command & Readonly<{ name: string; doesTheSame?: boolean }>

const folder = join(root, 'test/bench-peers')
const peer = (name: string, file: string): Competitor => ({ name, script: join(folder, file) })

export const service: Competitor = { ...serviceCommand, name: 'this service', doesTheSame: true }

export const competitors: readonly Competitor[] = [
  peer('node:http, nothing else', 'node-http.js'),
  peer('fastify, nothing else', 'fastify-bare.js'),
  { ...peer('fastify', 'fastify.js'), doesTheSame: true },
  { ...peer('koa', 'koa.js'), doesTheSame: true },
  service,
]

/** The other frameworks, at their locked versions. */
export const installPeers = (): void => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const pnpm = `npx --yes pnpm@${engines.pnpm} install --ignore-workspace --frozen-lockfile --prefer-offline --silent`
  const { status } = spawnSync(pnpm, {
    cwd: folder,
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true' },
  })
  if (status !== 0) throw new Error('The other frameworks cannot be installed.')
}

const mustHave = ['etag', 'link', 'location', 'x-request-id', 'x-content-type-options', 'cache-control']

/** Throws where a server that does the same answers otherwise than this service, but for times, links and ids of requests. */
export const checkAnswers = async (
  servers: readonly Readonly<{ competitor: Competitor; server: MeasuredProcess }>[],
): Promise<void> => {
  for (const { name, request } of rows) {
    const { path, ...asked } = request(15)
    const answers = new Map<string, string>()
    for (const { competitor, server } of servers.filter(({ competitor }) => competitor.doesTheSame)) {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { ...asked, headers })
      const body = (await answer.text()).replace(/"(created_at|next|previous)":"[^"]+"/g, '$1')
      const has = mustHave.filter(header => answer.headers.has(header))
      answers.set(competitor.name, [answer.status, has, body].join(' '))
    }
    if (new Set(answers.values()).size > 1)
      throw new Error(`To ${name} they answer differently: ${JSON.stringify([...answers], undefined, 2)}`)
  }
}
