import { request } from 'node:http'
import type { Observation } from '@snippets/adapters-http/middleware/observe.js'
import { createMetrics } from '@snippets/apps/metrics.js'
import { expect } from 'chai'
import { bodyOf } from '../support/samples.js'
import { composedServices } from '../support/service/composed-service.js'

const json: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' }
const stale = { ...json, 'If-Match': '"0-1"' }
const path = '/api/snippets-viewset/'

const pageOf = async (url: string): Promise<string> => {
  const page = await fetch(url)
  expect(page.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
  return page.text()
}

const anObservation: Observation = {
  ...{ requestId: 'id', traceId: undefined, token: undefined, clientLeft: false },
  ...{ method: 'GET', route: '/api/users/', status: 200, problem: undefined, limit: undefined, seconds: 1, bytes: 0 },
}

describe('The metrics', () => {
  const start = composedServices()
  /** Starts a service with limits that a few requests reach. */
  const serve = async () => {
    const { url, adminUrl } = await start({ ADMIN_PORT: '0', MEMORY_LIMIT_MB: '1' })
    const statusOf = async (method: string, path: string, code?: string, headers = json): Promise<number> => {
      const body = code !== undefined && { body: JSON.stringify(bodyOf({ title: 't', code, language: 'l' })) }
      const response = await fetch(url + path, { method, headers, ...body })
      await response.text()
      return response.status
    }
    return { url, statusOf, metrics: async (): Promise<string> => pageOf(`${adminUrl}/metrics`) }
  }

  it('count storage operations by name and result, and show the bytes in memory', async () => {
    const { metrics, statusOf } = await serve()
    expect(await metrics()).to.contain('\nmemory_storage_bytes 0\n')
    while ((await statusOf('POST', path, 'x'.repeat(10_000))) === 201);
    await statusOf('PATCH', `${path}1/`, 'new', stale)
    await statusOf('GET', `${path}1/`)
    const text = await metrics()
    for (const [operation, result] of [
      ['create', 'storage-full'],
      ['update', 'stale'],
      ['get', 'ok'],
    ])
      expect(text).to.contain(
        `\nstorage_operation_duration_seconds_count{operation="snippets.${operation}",result="${result}"} 1\n`,
      )
    expect(text)
      .to.match(/\nmemory_storage_bytes [1-9]\d+\n/)
      .and.to.contain('\nmemory_storage_limit_bytes 1048576\n')
  })

  it('show readiness, dropped log lines, connections, snippets and keys', async () => {
    const { metrics, statusOf } = await serve()
    await statusOf('POST', path, 'one', { ...json, 'Idempotency-Key': 'k' })
    await statusOf('POST', path, 'two')
    const text = await metrics()
    for (const line of [
      'service_ready 1',
      'log_lines_dropped_total 3',
      'http_closed_connections_total 0',
      'http_body_bytes 0',
      'memory_storage_snippets 2',
      'memory_storage_keys 1',
    ])
      expect(text).to.contain(`\n${line}\n`)
  })

  it('show open connections, and service_ready 0 when the service stops', async () => {
    const { url, adminUrl, stop } = await start({ ADMIN_PORT: '0', SHUTDOWN_GRACE_MS: '500' })
    const slow = request(`${url}/api/snippets/`, { method: 'POST', headers: { ...json, 'Content-Length': 100 } })
    const closed = new Promise(resolve => slow.on('error', () => {}).on('close', resolve))
    slow.write('{')
    const shows = async (line: string) => (await pageOf(`${adminUrl}/metrics`)).includes(`\n${line}\n`)
    while (!(await shows('http_connections 1')));
    const stopped = stop()
    expect(await shows('service_ready 0')).to.equal(true)
    await Promise.all([stopped, closed])
  })

  it('count rejected, aborted and answered requests by method, route and status', async () => {
    const { url, metrics, statusOf } = await serve()
    await statusOf('GET', '/api/snippets/7/')
    await statusOf('GET', '/api/snippets/8/')
    const text = await metrics()
    expect(text).to.contain('_count{method="GET",route="/api/snippets/:id/",status="404"} 2\n')
    expect(text).to.contain('\nhttp_problems_total{type="urn:snippets:not-found"} 2\n')
    expect(text).to.contain('\nhttp_problems_total{type="urn:snippets:overloaded",limit="MAX_CONNECTIONS"} 0\n')

    const headers = { ...json, 'Content-Length': 100 }
    const slow = request(`${url}/api/snippets/`, { method: 'POST', headers }).on('error', () => {})
    slow.write('{')
    while (!/^http_body_bytes [1-9]/m.test(await metrics()));
    slow.socket?.resetAndDestroy()
    while (!/^http_request_duration_seconds_count\{.*status="none"\} 1$/m.test(await metrics()));
  })

  it('have buckets for fast requests and operations', async () => {
    const { observe, observeOperation, registry } = createMetrics()
    observe({ ...anObservation, seconds: 0.002 })
    observeOperation({ operation: 'users.page', result: 'ok', seconds: 0.0002 })
    const text = await registry.metrics()
    const bucketsOf = (name: string): string =>
      [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)".*\\} (\\d+)$`, 'gm'))]
        .map(([, limit, count]) => `${limit}:${count}`)
        .join(' ')
    expect(bucketsOf('http_request_duration_seconds')).to.match(/^0.001:0 0.0025:1 .* 5:1 \+Inf:1$/)
    expect(bucketsOf('storage_operation_duration_seconds')).to.match(/^0.0001:0 0.001:1 .* 5:1 \+Inf:1$/)
  })
})
