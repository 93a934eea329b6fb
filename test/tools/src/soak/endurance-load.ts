import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '@snippets/test/support/random.js'
import { contentOf } from '../measuring/load.js'
import { urlOf } from './raw-requests.js'

const [clients, pauseMs, mostSnippets] = [4, 150, 500]
const json = { 'Content-Type': 'application/json' }
const explicit = '/api/snippets/'
const generated = '/api/snippets-viewset/'
const queries = ['search=compute', 'language=go', 'ordering=title', 'language=c&ordering=-created_at']

type Request = Readonly<{ method?: string; headers?: Readonly<Record<string, string>>; body?: object; ms?: number }>

/** Sends ordinary requests of every kind to a service, and keeps the number of snippets constant. */
export const enduranceLoad = (port: number) => {
  const random = randomFrom(1)
  let ids: readonly number[] = [1]
  const failures: unknown[] = []
  let answered = 0
  let times: number[] = []
  let serial = 0

  const ask = async (path: string, request: Request = {}) => {
    const { body, ms = 10_000, ...init } = request
    const begun = performance.now()
    const signal = AbortSignal.timeout(ms)
    const response = await fetch(urlOf(port, path), { ...init, signal, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (response.status >= 500) throw new Error(text)
    answered++
    times.push(performance.now() - begun)
    return { etag: response.headers.get('ETag') ?? '', value: text === '' ? undefined : JSON.parse(text) }
  }
  /** Leaves before the end of the response. */
  const leave = (path: string, request: Request = {}) =>
    ask(path, { ...request, ms: random.between(1, 6) }).catch(() => {})
  const creation = (headers = {}): Request => ({
    method: 'POST',
    headers: { ...json, ...headers },
    body: contentOf(serial),
  })
  const readAndUpdate = async (): Promise<void> => {
    const path = `${generated}${random.pick(ids)}/`
    const { etag } = await ask(path)
    await ask(path, { headers: { 'If-None-Match': etag } })
    await ask(path, { method: 'PATCH', headers: { ...json, 'If-Match': etag }, body: { code: `updated ${serial}` } })
  }
  const turnPages = async (): Promise<void> => {
    let path: string | undefined = `${generated}?page_size=20&${random.pick(queries)}`
    for (let i = 0; i < 3 && path !== undefined; i++) {
      const { value } = await ask(path)
      path = value.next?.replace(/^http:\/\/[^/]*/, '')
    }
  }
  const listAndTrim = async (): Promise<void> => {
    const { snippets } = (await ask(explicit)).value
    ids = snippets.map(({ id }: Readonly<{ id: number }>) => id)
    for (const id of ids.slice(0, -mostSnippets)) await ask(`${explicit}${id}/`, { method: 'DELETE' })
  }
  const steps: readonly (() => Promise<unknown>)[] = [
    () => ask(explicit, creation()),
    async () => {
      const keyed = creation({ 'Idempotency-Key': `endurance-${serial}` })
      await leave(explicit, keyed)
      await ask(explicit, keyed)
    },
    listAndTrim,
    readAndUpdate,
    turnPages,
    () => leave(explicit),
  ]

  return {
    failures,
    answered: () => answered,
    run: async (isOver: () => boolean): Promise<void> => {
      const client = async (): Promise<void> => {
        for (; !isOver(); await pause(pauseMs)) {
          serial++
          const step = random.pick(steps)
          await step().catch(error => failures.push(error.cause ?? error))
        }
      }
      await Promise.all(Array.from({ length: clients }, client))
    },
    /** Returns the 99th percentile of the response times since the last call. */
    p99: (): number => {
      const sorted = times.toSorted((a, b) => a - b)
      times = []
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0
    },
  }
}
