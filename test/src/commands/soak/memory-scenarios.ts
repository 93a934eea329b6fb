import { setTimeout as pause } from 'node:timers/promises'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { fill, firstBytesOf, get, openAll, page, posting } from './raw-requests.js'
import { atLeast, atMost, type Finding, onService, type Scenario } from './scenario.js'

/** Ordinary use first, so that what the process needs anyway is not counted as growth. */
const warmUp = async (port: number): Promise<void> => {
  for (let i = 0; i < 2000; i++) await (await fetch(`http://127.0.0.1:${port}${page(10)}`)).arrayBuffer()
}

/** By how much memory grows at most meanwhile, and what the attack has found. */
const growthDuring = async ({ usage }: MeasuredProcess, attack: () => Promise<readonly Finding[]>) => {
  const { megabytes: before } = await usage()
  const findings = await attack()
  const { peakMegabytes } = await usage()
  return { before, peak: peakMegabytes - before, findings }
}

export const pipelining: Scenario = {
  name: 'pipelining',
  run: options =>
    onService(options, async service => {
      const { port, usage } = service
      await fill(port, 100, 'short')
      await warmUp(port)
      const { before, peak } = await growthDuring(service, async () => {
        const sockets = await openAll(port, 100)
        for (const socket of sockets) socket.pause().write(get(page(10)).repeat(1000))
        await pause(2000)
        for (const socket of sockets) socket.resume()
        await pause(10_000)
        for (const socket of sockets) socket.destroy()
        return []
      })
      await pause(30_000)
      const { megabytes } = await usage()
      return [
        atMost('100 clients with 1,000 pipelined pages each: memory grows at its peak by', peak, 256, ' MB'),
        atMost('half a minute later it is still grown by', megabytes - before, 64, ' MB'),
      ]
    }),
}

export const nonReaders: Scenario = {
  name: 'non-readers',
  run: options =>
    onService(options, async service => {
      const { port } = service
      await fill(port, 100, 'heaviest')
      await (await fetch(`http://127.0.0.1:${port}${page(100)}`)).arrayBuffer()
      await warmUp(port)
      const { peak } = await growthDuring(service, async () => {
        const sockets = await openAll(port, 300)
        for (const socket of sockets) socket.pause().write(get(page(100)))
        await pause(30_000)
        for (const socket of sockets) socket.destroy()
        return []
      })
      return [atMost('300 clients that never read a page of 6 MB: memory grows by', peak, 200, ' MB')]
    }),
}

const inChunks = (text: string): string => Array.from(text, letter => `1\r\n${letter}\r\n`).join('')

export const tinyChunks: Scenario = {
  name: 'tiny-chunks',
  run: options =>
    onService(options, async service => {
      const { port } = service
      await fill(port, 100, 'short')
      await warmUp(port)
      const piece = inChunks(' '.repeat(10_000))
      const { peak, findings } = await growthDuring(service, async () => {
        const sockets = await openAll(port, 60)
        const answers = sockets.map(socket => firstBytesOf(socket, 20_000))
        for (const socket of sockets) socket.write(posting('Transfer-Encoding: chunked'))
        for (let pieces = 0; pieces < 25; pieces++) {
          for (const socket of sockets) if (socket.writable) socket.write(piece)
          await pause(20)
        }
        const body = inChunks('{"title":"t","code":"c","language":"l"}')
        for (const socket of sockets) if (socket.writable) socket.write(`${body}0\r\n\r\n`)
        const problems = (await Promise.all(answers)).filter(({ head }) => head.includes('application/problem+json'))
        for (const socket of sockets) socket.destroy()
        return [atLeast('of these bodies are refused with a problem', problems.length, 60)]
      })
      return [atMost('60 bodies of 250 KB sent byte by byte: memory grows by', peak, 60, ' MB'), ...findings]
    }),
}
