import { setTimeout as pause } from 'node:timers/promises'
import { settledMegabytes } from '../measuring/memory.js'
import { median } from '../measuring/statistics.js'
import type { Competitor } from './servers/competitors.js'
import { startServer } from './servers/start-server.js'

export type Start = Readonly<{ server: string; firstAnswerMs: number; idleMegabytes: number }>

const times = 3
const settlingMs = 500

/** From the start of the process to the end of its first answer, and its memory when it has answered only that. */
export const measureStart = async (server: Competitor): Promise<Start> => {
  const milliseconds: number[] = []
  const megabytes: number[] = []
  for (let i = 0; i < times; i++) {
    const begun = performance.now()
    const { port, pid, stop } = await startServer(server)
    await (await fetch(`http://127.0.0.1:${port}/api/snippets/`)).arrayBuffer()
    milliseconds.push(performance.now() - begun)
    if (i === 0) {
      await pause(settlingMs)
      megabytes.push(await settledMegabytes(pid))
    }
    await stop()
  }
  return { server: server.name, firstAnswerMs: median(milliseconds), idleMegabytes: Math.min(...megabytes) }
}
