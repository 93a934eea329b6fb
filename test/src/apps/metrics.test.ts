import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type Service, startService } from '@snippets/apps/service.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { silentLog } from '../support/silent-log.js'
import { must } from '../support/snippets.js'
import { root } from '../support/workspace-root.js'

/** Small limits, which a few requests reach. */
const environment = {
  PORT: '0',
  ADMIN_PORT: '0',
  MEMORY_LIMIT_MB: '1',
  MAX_REQUESTS: '1',
  MAX_WAITING_REQUESTS: '1',
}
const content = { title: 'a secret title', code: 'a secret code', language: 'a secret language' }
const json = { 'Content-Type': 'application/json' }

describe('The metrics', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService(must(readSettings(environment)), silentLog)
  })
  afterEach(() => service.stop())

  const metrics = async (): Promise<string> => (await fetch(`${service.adminUrl}/metrics`)).text()
  const send = async (method: string, path: string, body?: unknown, headers = json): Promise<number> => {
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(`${service.url}${path}`, sent)
    await answer.text()
    return answer.status
  }

  it('count and time storage operations by name and outcome', async () => {
    const path = '/api/snippets-viewset/'
    await send('POST', path, content)
    await send('GET', `${path}1/`)
    await send('GET', `${path}2/`)
    await send('PATCH', `${path}1/`, {}, { ...json, ...{ 'If-Match': '"0-1"' } })
    while ((await send('POST', path, { ...content, code: 'x'.repeat(10_000) })) === 201);
    await send('DELETE', `${path}1/`)
    await send('GET', path)
    await send('GET', '/api/snippets/')
    await send('GET', '/api/users/')
    await send('GET', '/api/users/1/')
    const counted = [...(await metrics()).matchAll(/^storage_operation_duration_seconds_count\{(.*)\} (\d+)$/gm)]
    const counts = Object.fromEntries(counted.map(([, labels, count]) => [labels?.replaceAll(/\w+=|"/g, ''), count]))
    expect(Number(counts['snippets.create,ok'])).to.be.greaterThan(10)
    expect({ ...counts, 'snippets.create,ok': 'many' }).to.deep.equal({
      'snippets.create,ok': 'many',
      'snippets.create,storage-full': '1',
      'snippets.get,ok': '1',
      'snippets.get,not-found': '1',
      'snippets.update,stale': '1',
      'snippets.delete,ok': '1',
      'snippets.page,ok': '1',
      'snippets.all,ok': '1',
      'users.page,ok': '1',
      'users.get,not-found': '1',
    })
  })

  it('count the requests in flight, waiting and shed', async () => {
    const sent = Array.from({ length: 2 }, () => {
      const headers = { ...json, 'Content-Length': 100 }
      return request(`${service.url}/api/snippets/`, { method: 'POST', headers }).on('error', () => {})
    })
    for (const slow of sent) slow.write('{')
    while (!/\nhttp_requests_in_flight 1\n.*\nhttp_requests_waiting 1\n/s.test(await metrics()));
    expect(await send('GET', '/api/snippets/')).to.equal(503)
    expect(await metrics()).to.contain('\nhttp_requests_shed_total 1\n')
    for (const slow of sent) slow.socket?.resetAndDestroy()
    while (!(await metrics()).includes('\nhttp_requests_in_flight 0\n'));
    const text = await metrics()
    expect(text).to.contain('\nhttp_requests_shed_total 1\n')
    expect(text).to.match(/^http_request_duration_seconds_count\{.*status="none"\} 1$/m)
  })

  it('show what the snippets in memory count as, and how much they may', async () => {
    const before = await metrics()
    expect(before).to.contain('\nmemory_storage_bytes 0\n')
    expect(before).to.contain('\nmemory_storage_limit_bytes 1048576\n')
    await send('POST', '/api/snippets/', content)
    expect(await metrics()).to.match(/\nmemory_storage_bytes [1-9]\d+/)
  })

  it('show the versions and the delay of the event loop', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const text = await metrics()
    expect(text).to.contain(`\nsnippets_build_info{version="${version}",node_version="${process.version}"} 1\n`)
    expect(text).to.match(/\nnodejs_eventloop_lag_p99_seconds [\d.e-]+\n/)
  })

  it('count open files, and list neither them nor connections, which takes long where there are thousands', async () => {
    const text = await metrics()
    const shown = Number(/\nprocess_open_fds (\d+)\n/.exec(text)?.[1])
    // what a connection takes may come or go meanwhile
    if (process.platform === 'linux') expect(shown).to.be.closeTo(readdirSync('/proc/self/fd').length, 5)
    expect(text).not.to.match(/nodejs_active_(handles|resources)/)
  })

  it('hold no id and no text of a snippet', async () => {
    await send('POST', '/api/snippets/', content)
    await send('GET', '/api/snippets/1/')
    await send('GET', '/api/snippets/987654321/')
    await send('GET', '/api/snippets-viewset/?title=a+secret+title')
    await send('GET', '/a/secret/path')
    expect(await metrics()).not.to.match(/secret|987654321/)
  })
})
