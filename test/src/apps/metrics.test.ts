import { request } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import { problemType } from '@snippets/adapters-http/formats/problems.js'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { createAccessLog } from '@snippets/apps/logging/access-log.js'
import { createMetrics } from '@snippets/apps/metrics/prometheus.js'
import { version } from '@snippets/apps/version.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import { onClock } from '../support/on-clock.js'
import { bodyOf } from '../support/samples.js'
import { composedServices } from '../support/service/composed-service.js'
import { recordingLog } from '../support/service/logs.js'
import { draft } from '../support/snippets.js'

const json: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' }
const stale = { ...json, 'If-Match': '"0-1"' }
const path = '/api/snippets-viewset/'

const pageOf = async (adminUrl: string): Promise<string> => {
  const page = await fetch(`${adminUrl}/metrics`)
  expect(page.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
  return page.text()
}

const shows = (line: string): RegExp => new RegExp(`^${line}$`, 'm')

describe('The metrics', () => {
  const start = composedServices()

  it('count storage operations by name and result, and show the snippets, keys and bytes in memory', async () => {
    const { url, adminUrl } = await start({ ADMIN_PORT: '0', MEMORY_LIMIT_MB: '1', MAX_CONNECTIONS: '500' })
    const statusOf = async (method: string, path: string, headers = json, code = '😀'.repeat(10_000)) => {
      const body = JSON.stringify(bodyOf({ title: 't', code, language: 'l' }))
      const response = await fetch(url + path, { method, headers, ...(method !== 'GET' && { body }) })
      await response.text()
      return response.status
    }
    expect(await pageOf(adminUrl)).to.match(shows('memory_storage_bytes 0'))
    expect(await statusOf('POST', path, { ...json, 'Idempotency-Key': 'k' }, 'x')).to.equal(201)
    await statusOf('POST', path, json, 'x')
    await eventually(async () => (await statusOf('POST', path)) === 507)
    await statusOf('PATCH', `${path}1/`, stale, 'new')
    await statusOf('DELETE', `${path}1/`, stale)
    for (const read of [path, '/api/users/', '/api/users/1/']) await statusOf('GET', read)
    for (const id of [1, 1000, 1001]) await statusOf('GET', `/api/snippets/${id}/`)
    const text = await pageOf(adminUrl)
    for (const [operation, result] of [
      ['snippets.create', 'storage-full'],
      ['snippets.update', 'stale'],
      ['snippets.delete', 'stale'],
      ['snippets.get', 'ok'],
      ['snippets.page', 'ok'],
      ['users.get', 'not-found'],
      ['users.page', 'ok'],
    ])
      expect(text).to.match(
        shows(`storage_operation_duration_seconds_count{operation="${operation}",result="${result}"} 1`),
      )
    for (const line of [
      'memory_storage_bytes [1-9]\\d+',
      'memory_storage_limit_bytes 1048576',
      'service_ready 1',
      `snippets_build_info{version="${version}"} 1`,
      'http_connections_limit 500',
      'http_closed_connections_total 0',
      'http_body_bytes 0',
      'http_request_duration_seconds_count{method="GET",route="/api/snippets/:id/",status="404"} 2',
      'http_problems_total{type="urn:snippets:not-found"} 3',
      'http_problems_total{type="urn:snippets:internal"} 0',
      'http_problems_total{type="urn:snippets:overloaded",limit="MAX_CONNECTIONS"} 0',
    ])
      expect(text).to.match(shows(line))
    expect(text).to.not.match(/urn:snippets:overloaded"}|undefined|=""/)
  })

  it('show open connections, bodies in progress and aborted requests, and service_ready 0 until the last request of a stop has ended', async () => {
    const { url, adminUrl, stop } = await start({ ADMIN_PORT: '0' })
    const ceiling = Math.floor((getHeapStatistics().heap_size_limit - 220 * 1024 * 1024) / 2)
    expect(await pageOf(adminUrl)).to.match(shows(`memory_storage_limit_bytes ${ceiling}`))
    const show = (line: string) => eventually(async () => shows(line).test(await pageOf(adminUrl)))
    const headers = { ...json, 'Content-Length': 100_000 }
    const upload = () => {
      const slow = request(`${url}/api/snippets/`, { method: 'POST', headers }).on('error', () => {})
      slow.write(`{${' '.repeat(10_000)}`)
      return slow
    }
    const [aborted, other] = [upload(), upload()]
    // of both requests
    await show('http_body_bytes [2-9]\\d{4}')
    await show('http_connections 2')
    aborted.socket?.resetAndDestroy()
    await show('http_request_duration_seconds_count{.*status="none"} 1')
    await show('http_connections 1')
    const stopped = stop()
    await eventually(() => fetch(`${url}/api/users/`).then(() => false, Boolean))
    expect(await pageOf(adminUrl)).to.match(shows('service_ready 0'))
    expect(await (await fetch(`${adminUrl}/readyz`)).text()).to.contain('The service is stopping.')
    other.destroy()
    await stopped
  })

  it('count overloads by limit, under its name in the log, and time unknown outcomes and each batch of a stream', async () => {
    const { observe, observeStores, registry } = createMetrics()
    const { log, lines } = recordingLog()
    const logRequest = createAccessLog(log, 'off')
    const request = { requestId: 'id', method: 'GET', route: '/', status: 503, seconds: 1, bytes: 0, clientLeft: false }
    for (const limit of ['connections', 'unsentBytes', 'bodyBytes', 'pipelining', 'searches'] as const)
      for (const report of [observe, logRequest]) report({ ...request, problem: problemType('overloaded'), limit })
    const limits = ['MAX_CONNECTIONS', 'MAX_UNSENT_MB', 'MAX_BODIES_MB', 'pipelining', 'searches']
    expect(lines.map(({ limit }) => limit)).to.deep.equal(limits)
    const { snippets, users } = createMemoryStorage({ users: [] })
    const create = () => async () => left(unavailable('unknown', 'cause'))
    const all = async function* () {
      yield right([])
      yield left(unavailable('unapplied', 'cause'))
    }
    const observed = observeStores({ snippets: { ...snippets, create, all }, users })
    await onClock(1500, async () => {
      await observed.snippets.create(draft())()
      for await (const _ of observed.snippets.all());
    })
    const text = await registry.metrics()
    for (const line of [
      ...limits.map(limit => `http_problems_total{type="urn:snippets:overloaded",limit="${limit}"} 1`),
      ...[
        'snippets.create",result="outcome-unknown',
        'snippets.all",result="ok',
        'snippets.all",result="unavailable',
      ].map(labels => `storage_operation_duration_seconds_sum{operation="${labels}"} 1.5`),
    ])
      expect(text).to.match(shows(line))
  })
})
