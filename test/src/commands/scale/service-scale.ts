import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { creation, send } from '../measuring/load.js'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { contentOf, type Line, millisecondsOf } from './store-scale.js'

/** Measures a service with a DATA_DIR: its restart, and the list of all snippets. */
export const measureService = async (count: number): Promise<readonly Line[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'snippets-scale-'))
  // room for a million snippets, which may take half of the heap
  const env = { DATA_DIR: join(directory, 'data'), NODE_OPTIONS: '--max-old-space-size=4096', ACCESS_LOG: 'off' }
  try {
    const filled = await startMeasured({ ...serviceCommand, env })
    await send(filled.port, { amount: count, connections: 32, request: serial => creation(contentOf(serial)) })
    await filled.end('SIGTERM')
    const service = await startMeasured({ ...serviceCommand, env })
    await pause(1000)
    const { megabytes: before } = await service.usage()
    const url = `http://127.0.0.1:${service.port}/api/snippets/`
    const list = await readBeside(url, `${url}${count}/`)
    const { peakMegabytes } = await service.usage()
    await service.end('SIGKILL')
    return [
      ['first response after a start with DATA_DIR', `${(service.firstResponseMs / 1000).toFixed(1)} s`],
      ['memory after the start', `${before.toFixed(0)} MB`],
      ['list of all snippets', `${(list.bytes / 1e6).toFixed(0)} MB in ${(list.ms / 1000).toFixed(1)} s`],
      ['memory growth during the list', `${(peakMegabytes - before).toFixed(0)} MB`],
      ['slowest read of another client during the list', `${list.slowestMs.toFixed(0)} ms`],
    ]
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Reads the list and discards it, while another client reads one snippet again and again. */
const readBeside = async (list: string, one: string) => {
  let [bytes, slowestMs, isOver] = [0, 0, false]
  const read = async (): Promise<void> => {
    for await (const chunk of (await fetch(list)).body ?? []) bytes += chunk.length
  }
  const reading = millisecondsOf(read).finally(() => {
    isOver = true
  })
  while (!isOver) slowestMs = Math.max(slowestMs, await millisecondsOf(async () => (await fetch(one)).arrayBuffer()))
  return { bytes, slowestMs, ms: await reading }
}
