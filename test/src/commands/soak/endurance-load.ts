import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../support/eventually.js'
import { randomFrom } from '../../support/random.js'
import { contentOf, urlOf } from './raw-requests.js'

const [clients, pauseMs, mostSnippets, usedKeys] = [4, 150, 500, 200]
const json = { 'Content-Type': 'application/json' }
const explicit = '/api/snippets/'
const generated = '/api/snippets-viewset/'
const queries = [
  'search=print',
  'search=1%20updated',
  'language=go',
  'ordering=title',
  'language=c&ordering=-created_at',
]

type Request = Readonly<{ method?: string; headers?: Readonly<Record<string, string>>; body?: object; ms?: number }>

/** Sends ordinary requests of every kind to a service that counts a day in `dayMs`, and checks the responses. */
export const enduranceLoad = (port: () => number, dayMs: number) => {
  const random = randomFrom(1)
  const counts = { answered: 0, expiredKeys: 0, wrong: 0 }
  /** Why requests were not answered. */
  const unanswered: unknown[] = []
  /** The acknowledged snippets, except snippets that a client has tried to delete. */
  const live = new Set<number>()
  const deleted = new Set<number>()
  const keyUses = new Map<string, Readonly<{ id?: number; at: number }>>()
  let times: number[] = []
  let serial = 0

  const expect = (isMet: boolean, ...what: readonly unknown[]): void => {
    if (isMet) return
    counts.wrong++
    console.error(...what)
  }
  const ask = async (path: string, statuses: readonly number[], request: Request = {}) => {
    const { body, ms = 10_000, ...init } = request
    const begun = performance.now()
    const signal = AbortSignal.timeout(ms)
    const response = await fetch(urlOf(port(), path), { ...init, signal, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    const { status } = response
    if (status === 503) throw new Error(text)
    counts.answered++
    times.push(performance.now() - begun)
    expect(statuses.includes(status), request.method, path, status, text.slice(0, 500))
    return { status, etag: response.headers.get('ETag') ?? '', value: text === '' ? undefined : JSON.parse(text) }
  }
  /** Repeats a creation while another one with its key is in progress. */
  const create = async (request: Request): Promise<number> => {
    const { status, value } = await ask(explicit, [201, 409], { method: 'POST', body: contentOf(serial), ...request })
    return status === 409 ? create(request) : value.id
  }
  const createWithKey = async (): Promise<void> => {
    const key = `endurance-${serial % usedKeys}`
    const last = keyUses.get(key)
    if (last !== undefined && performance.now() - last.at < 1.2 * dayMs) return
    keyUses.set(key, { at: performance.now() })
    const request = { headers: { ...json, 'Idempotency-Key': key }, body: contentOf(0) }
    await create({ ...request, ms: random.between(1, 6) }).catch(() => {})
    const [id, replayed] = [await create(request), await create(request)]
    expect(id === replayed && id !== last?.id, key, last?.id, id, replayed)
    if (last?.id !== undefined) counts.expiredKeys++
    keyUses.set(key, { id, at: performance.now() })
    live.add(id)
  }
  const deleteSurplus = async (): Promise<void> => {
    for (const id of [...live].slice(0, Math.max(0, live.size - mostSnippets))) {
      // another client may delete it meanwhile
      if (!live.delete(id)) continue
      await ask(`${explicit}${id}/`, [204], { method: 'DELETE' })
      deleted.add(id)
    }
  }
  const readAndUpdate = async (): Promise<void> => {
    const path = `${generated}${random.pick([...live, 1])}/`
    const { etag } = await ask(path, [200, 404])
    await ask(path, [200, 304, 404], { headers: { 'If-None-Match': etag } })
    const change = { method: 'PATCH', headers: { ...json, 'If-Match': etag }, body: { code: `updated ${serial}` } }
    await ask(path, [200, 404, 412], change)
    await ask(path, [404, 412], change)
  }
  const turnPages = async (): Promise<void> => {
    let path: string | undefined = `${generated}?page_size=20&${random.pick(queries)}`
    for (let i = 0; i < 3 && path !== undefined; i++) {
      const { value } = await ask(path, [200])
      path = value.next?.replace(/^http:\/\/[^/]*/, '')
    }
  }
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => live.add(await create({ headers: json })),
    createWithKey,
    deleteSurplus,
    readAndUpdate,
    turnPages,
    () => ask(explicit, [200]),
    () => ask(explicit, [200], { ms: random.between(1, 6) }).catch(() => {}),
  ]

  return {
    counts,
    unanswered,
    run: async (isOver: () => boolean): Promise<void> => {
      const client = async (): Promise<void> => {
        for (; !isOver(); await pause(pauseMs)) {
          serial++
          const step = random.pick(steps)
          await step().catch(error => unanswered.push(error.cause ?? error))
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
    /** Returns how many acknowledged creations and deletions the service does not show. */
    lost: async (): Promise<number> => {
      // the storage may be unavailable just after a restart
      await eventually(async () => (await ask(explicit, [200]).catch(() => undefined)) !== undefined, 60_000)
      const { snippets } = (await ask(explicit, [200])).value
      const stored = new Set<number>(snippets.map(({ id }: Readonly<{ id: number }>) => id))
      return [...live].filter(id => !stored.has(id)).length + [...deleted].filter(id => stored.has(id)).length
    },
  }
}
