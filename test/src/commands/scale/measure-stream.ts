import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'

export type StreamScale = Readonly<{
  megabytes: number
  seconds: number
  /** What as many bytes take from one buffer. */
  bytesOnlySeconds: number
  /** The peak growth of the service's memory during the stream. */
  grownMegabytes: number
  /** Another client's reads during the stream, in milliseconds. */
  reads: Readonly<{ count: number; median: number; worst: number }>
}>

type Ready = Readonly<{ url: string; lastId: string; bytesUrl: string }>

/** Streams the whole collection of a service in a child process, while another client reads single snippets. */
export const measureStream = async (rows: number): Promise<StreamScale> => {
  const service = fork(fileURLToPath(new URL('full-service.js', import.meta.url)), [String(rows)], {
    execArgv: ['--expose-gc', '--enable-source-maps'],
  })
  try {
    const { url, lastId, bytesUrl } = await nextMessage<Ready>(service)
    service.send('watch')
    await nextMessage(service)
    const { bytes, seconds, times } = await streamAndRead(`${url}/api/snippets/`, `${url}/api/snippets/${lastId}/`)
    service.send('report')
    const { grown } = await nextMessage<{ grown: number }>(service)
    const bytesOnly = await streamAndRead(`${bytesUrl}${bytes}`, `${url}/api/snippets/${lastId}/`)
    return {
      megabytes: bytes / 1e6,
      seconds,
      bytesOnlySeconds: bytesOnly.seconds,
      grownMegabytes: grown / 1e6,
      reads: { count: times.length, median: times[times.length >> 1] ?? 0, worst: times.at(-1) ?? 0 },
    }
  } finally {
    service.kill()
  }
}

const streamAndRead = async (list: string, one: string) => {
  // warms up the client and the service
  for (let i = 0; i < 500; i++) await drain(one)
  const reading = { on: true }
  const others = readUntil(reading, one)
  const started = performance.now()
  const bytes = await drain(list)
  const seconds = (performance.now() - started) / 1000
  reading.on = false
  return { bytes, seconds, times: (await others).toSorted((a, b) => a - b) }
}

const nextMessage = async <A>(service: ReturnType<typeof fork>): Promise<A> => {
  const [message] = await once(service, 'message')
  return message as A
}

/** Reads a response to its end and keeps nothing but its length. */
const drain = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, response => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    }).on('error', reject)
  })

const readUntil = async (reading: { on: boolean }, url: string): Promise<readonly number[]> => {
  const times: number[] = []
  while (reading.on) {
    const started = performance.now()
    await drain(url)
    times.push(performance.now() - started)
  }
  return times
}
