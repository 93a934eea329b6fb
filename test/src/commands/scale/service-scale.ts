import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { contentOf } from './scale-content.js'
import type { Line } from './store-scale.js'

/** A service that keeps its snippets in a DATA_DIR: how fast it comes back with them, and how it sends them all. */
export const measureService = async (count: number): Promise<readonly Line[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'snippets-scale-'))
  // room for a million, as half of the heap may be taken by snippets
  const env = { DATA_DIR: join(directory, 'data'), NODE_OPTIONS: '--max-old-space-size=4096', ACCESS_LOG: 'off' }
  try {
    await fill(env, count)
    const service = await startMeasured({ ...serviceCommand, env })
    await pause(1000)
    const { megabytes: before } = await service.usage()
    const url = `http://127.0.0.1:${service.port}/api/snippets/`
    const list = await streamBeside(url, `${url}${count}/`)
    const { peakMegabytes } = await service.usage()
    await service.kill()
    return [
      ['first answer of a service that reads them from its DATA_DIR', `${(service.firstAnswerMs / 1000).toFixed(1)} s`],
      ['memory of its process then', `${before.toFixed(0)} MB`],
      ['list of all of them', `${(list.bytes / 1e6).toFixed(0)} MB in ${list.seconds.toFixed(1)} s`],
      ['memory grows meanwhile by', `${(peakMegabytes - before).toFixed(0)} MB`],
      ['slowest of the reads of another client meanwhile', `${list.slowestMs.toFixed(0)} ms`],
    ]
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const fill = async (env: Readonly<Record<string, string>>, count: number): Promise<void> => {
  const service = await startMeasured({ ...serviceCommand, env })
  let serial = 0
  const { non2xx, errors } = await autocannon({
    url: `http://127.0.0.1:${service.port}/api/snippets/`,
    amount: count,
    connections: 32,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    requests: [{ setupRequest: request => ({ ...request, body: JSON.stringify(contentOf(serial++)) }) }],
  })
  await service.stop()
  if (non2xx + errors > 0) throw new Error(`${non2xx} creations were refused and ${errors} failed`)
}

/** Reads a response to its end and keeps nothing but its length. */
const lengthOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, response => {
      let bytes = 0
      response.on('data', chunk => {
        bytes += chunk.length
      })
      response.once('end', () => resolve(bytes)).once('error', reject)
    }).once('error', reject)
  })

const streamBeside = async (list: string, one: string) => {
  let seconds = 0
  const begun = performance.now()
  const streaming = lengthOf(list).then(bytes => {
    seconds = (performance.now() - begun) / 1000
    return bytes
  })
  let slowestMs = 0
  while (seconds === 0) {
    const asked = performance.now()
    await lengthOf(one)
    slowestMs = Math.max(slowestMs, performance.now() - asked)
  }
  return { bytes: await streaming, seconds, slowestMs }
}
