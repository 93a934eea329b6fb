import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { contentOf, fill } from '../measuring/load.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { page, urlOf } from './raw-requests.js'
import { atLeast, atMost, type Finding, onDirectory, onService, peakMemory, readBeside, until } from './scenario.js'

/** Returns how many operations of the storage had this outcome. */
const outcomes = async ({ adminPort }: MeasuredProcess, outcome: string): Promise<number> => {
  const text = await (await fetch(urlOf(adminPort, '/metrics'))).text()
  const lines = text.matchAll(/^storage_operation_duration_seconds_count\{(.*)\} (\d+)$/gm)
  return [...lines].reduce((sum, [, labels, count]) => sum + (labels?.includes(`"${outcome}"`) ? Number(count) : 0), 0)
}

export const searches = onService('searches', async service => {
  const { port } = service
  await fill(port, 30_000, undefined, 32)
  const path = `${page(10)}&search=nowhere`
  const load = autocannon({ url: urlOf(port, path), connections: 150, duration: 10, workers: 1 })
  const besideSearches = await readBeside(port, page(10), load)
  const orderings = ['title', 'created_at', 'title,created_at', '-title,created_at', 'created_at,title']
  const targets = orderings.flatMap(order => [`&ordering=${order}`, `&ordering=${order}&language=go`])
  const lists = Promise.all(targets.map(query => fetch(urlOf(port, page(10) + query)).then(list => list.text())))
  const besideOrders = await readBeside(port, page(10), lists)
  return [
    atLeast('searches answered, of 150 clients in 10 s', besideSearches.result['2xx'], 50),
    atMost('searches rejected as too broad', await outcomes(service, 'search-too-broad'), 0),
    ...besideSearches.findings('pages beside the searches'),
    ...besideOrders.findings('pages beside the first use of ten orders'),
    await peakMemory(service),
  ]
})

/** Creates snippets repeatedly. Returns the acknowledged ids with their times. */
const write = async (port: number, end: PromiseLike<unknown>): Promise<ReadonlyMap<number, number>> => {
  const acknowledged = new Map<number, number>()
  await until(end, async serial => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(contentOf(serial))
    const response = await fetch(urlOf(port, '/api/snippets/'), { method: 'POST', headers, body })
    const { id } = JSON.parse(await response.text())
    if (response.status === 201) acknowledged.set(id, performance.now())
    await pause(20)
  })
  return acknowledged
}

/** Lets 20 clients create snippets during a disturbance, and for some time after it. */
const disturbWriters = async (service: MeasuredProcess, disturb: () => Promise<void>, restMs: number) => {
  const { port } = service
  let endedAt = 0
  const disturbing = (async () => {
    await pause(3000)
    await disturb()
    endedAt = performance.now()
    await pause(restMs)
  })()
  const writing = Promise.all(Array.from({ length: 20 }, () => write(port, disturbing)))
  const beside = await readBeside(port, page(10), writing)
  const { snippets } = JSON.parse(await (await fetch(urlOf(port, '/api/snippets/'))).text())
  const stored = new Set(snippets.map(({ id }: Readonly<{ id: number }>) => id))
  const ids = beside.result.flatMap(acknowledged => [...acknowledged.keys()])
  const times = beside.result.flatMap(acknowledged => [...acknowledged.values()])
  const firstMs = Math.min(...times.filter(time => time > endedAt)) - endedAt
  return {
    beside,
    findings: [
      atLeast('acknowledged creations', ids.length, 1000),
      atMost('lost acknowledged creations', ids.filter(id => !stored.has(id)).length, 0),
      atMost('ids assigned twice', ids.length - new Set(ids).size, 0),
      atMost('first acknowledged write after the disturbance', firstMs / 1000, 15, ' s'),
      atMost('not ready at the end', (await fetch(urlOf(service.adminPort, '/readyz'))).ok ? 0 : 1, 0),
      await peakMemory(service),
    ],
  }
}

export const suspended = onDirectory('pause', async service => {
  const suspend = async (): Promise<void> => {
    service.signal('SIGSTOP')
    await pause(3000)
    service.signal('SIGCONT')
  }
  const { findings } = await disturbWriters(service, suspend, 3000)
  return [...findings, atMost('writes with an unknown outcome', await outcomes(service, 'outcome-unknown'), 0)]
})

const fillDisk = async (service: MeasuredProcess, directory: string): Promise<readonly Finding[]> => {
  const ballast = join(directory, 'ballast')
  const fill = async (): Promise<void> => {
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4096'])
    await pause(10_000)
    rmSync(ballast)
  }
  const { findings, beside } = await disturbWriters(service, fill, 20_000)
  return [...findings, ...beside.findings('pages while the disk is full')]
}

/** The scenario needs Linux and root, because it mounts a small file system. */
export const diskFull = onDirectory('disk-full', fillDisk, { diskMegabytes: 64 })
