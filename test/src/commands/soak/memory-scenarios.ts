import { setTimeout as pause } from 'node:timers/promises'
import { snippetText } from '../../support/http/wire.js'
import { send } from '../measuring/load.js'
import { fill, firstBytesOf, get, openAll, page, posting } from './raw-requests.js'
import { atLeast, atMost, onService } from './scenario.js'

/** Uses the service normally first, so that the memory of ordinary use does not count as growth. */
const warmUp = (port: number): Promise<void> =>
  send(port, { amount: 2000, connections: 1, request: () => ({ method: 'GET', path: page(10) }) })

export const pipelining = onService('pipelining', async ({ port, usage }) => {
  await fill(port, 100, 'short')
  await warmUp(port)
  const before = await usage()
  const sockets = await openAll(port, 100)
  for (const socket of sockets) socket.pause().write(get(page(10)).repeat(1000))
  await pause(2000)
  for (const socket of sockets) socket.resume()
  await pause(10_000)
  for (const socket of sockets) socket.destroy()
  const { peakMegabytes } = await usage()
  await pause(30_000)
  const { megabytes } = await usage()
  const peak = peakMegabytes - before.megabytes
  return [
    atMost('100 clients with 1,000 pipelined pages each: memory grows at its peak by', peak, 256, ' MB'),
    atMost('half a minute later: memory is larger by', megabytes - before.megabytes, 64, ' MB'),
  ]
})

export const nonReaders = onService('non-readers', async ({ port, usage }) => {
  await fill(port, 100, 'heaviest')
  await (await fetch(`http://127.0.0.1:${port}${page(100)}`)).arrayBuffer()
  await warmUp(port)
  const before = await usage()
  for (const socket of await openAll(port, 300)) socket.pause().write(get(page(100)))
  await pause(30_000)
  const growth = (await usage()).peakMegabytes - before.megabytes
  return [atMost('300 clients that never read a page of 6 MB: memory grows by', growth, 200, ' MB')]
})

const inChunks = (text: string): string => Array.from(text, letter => `1\r\n${letter}\r\n`).join('')

export const tinyChunks = onService('tiny-chunks', async ({ port, usage }) => {
  await fill(port, 100, 'short')
  await warmUp(port)
  const spaces = inChunks(' '.repeat(10_000))
  const before = await usage()
  const sockets = await openAll(port, 60)
  const responses = sockets.map(socket => firstBytesOf(socket, 20_000))
  const write = (text: string): void => {
    for (const socket of sockets) if (socket.writable) socket.write(text)
  }
  write(posting('Transfer-Encoding: chunked'))
  for (let i = 0; i < 25; i++) {
    write(spaces)
    await pause(20)
  }
  write(`${inChunks(snippetText)}0\r\n\r\n`)
  const problems = (await Promise.all(responses)).filter(({ head }) => head.includes('application/problem+json'))
  const growth = (await usage()).peakMegabytes - before.megabytes
  return [
    atMost('60 bodies of 250 KB sent byte by byte: memory grows by', growth, 60, ' MB'),
    atLeast('bodies rejected with a problem', problems.length, 60),
  ]
})
