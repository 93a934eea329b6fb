import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createApp } from '@snippets/adapters-http/app.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { useCases } from '@snippets/application/use-cases.js'
import { none } from 'fp-ts/lib/Option.js'
import { draft } from '../../support/snippets.js'

/** A child process: a service with this many snippets, which reports its memory use to the parent. */
const rows = Number(process.argv[2])
const storage = memoryStorage({ users: [] })
for (let i = 0; i < rows; i++) {
  const code = `export const answer${i} = () => ${'x'.repeat(i % 600)}${i}\n`
  // through JSON, as a body arrives: V8 flattens a concatenated string on first read, which would count as growth
  const texts = JSON.parse(JSON.stringify({ title: `Snippet ${i}`, code, language: `language ${i % 8}` }))
  await storage.snippets.create(draft(texts))()
}

const silent = () => {}
const log = { warn: silent, error: silent }
const app = createApp({ useCases: useCases({ ...storage, clock: { now: Date.now } }), log, publicUrl: none })
const { url } = await listen(app.callback(), { host: '127.0.0.1', port: 0 })

let before = 0
let most = 0
process.on('message', message => {
  if (message === 'watch') {
    globalThis.gc?.()
    before = most = process.memoryUsage.rss()
    setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 5).unref()
    process.send?.({ watching: true })
  }
  if (message === 'report') process.send?.({ grown: most - before })
})
process.on('disconnect', () => process.exit())

// what the list is compared with: as many bytes, from one buffer
const piece = Buffer.alloc(65_536, 'x')
const bytesOnly = createServer((request, response) => {
  const total = Number(request.url?.slice(1))
  const pieces = function* () {
    for (let sent = 0; sent < total; sent += piece.length) yield piece.subarray(0, Math.min(piece.length, total - sent))
  }
  pipeline(pieces, response).catch(() => {})
}).listen(0, '127.0.0.1', () => {
  const { port } = bytesOnly.address() as AddressInfo
  process.send?.({ url, lastId: String(rows), bytesUrl: `http://127.0.0.1:${port}/` })
})
