import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { generated } from '../../contracts/http/sandbox.js'
import { eventually } from '../../support/eventually.js'
import { bytesOf, type Request } from '../../support/http/http-client.js'
import { describeMongo, documentOf, mongoForEach } from '../../support/mongo/database.js'
import { startProcess } from '../../support/service/child-process.js'

const promisedMs = 2500
/** Updates sent per second during an outage, unless this machine is too slow. */
const rate = Number(process.env.OUTAGE_RATE ?? 3000)
const outageMs = 3000
// low enough for a test database on two shared cores to catch up
const usualRate = Math.min(80, rate)
/** One request in flight each: more than all requests that arrive in the half second of the queue. */
const connections = Math.min(rate, 2000)

type SeedDocument = Readonly<{ _id: bigint; version: number }>

const rows = Array.from({ length: 1000 }, (_, i) => documentOf(i + 1))
const idOf = (serial: number): number => (serial % rows.length) + 1

describeMongo('Under load, while its database is unavailable, the service', engine => {
  const { db, open, proxy: newProxy } = mongoForEach(engine)

  it(`answers ${rate} updates a second within its deadline, loses none, applies none twice, and recovers`, async function () {
    this.timeout(60_000)
    const proxy = await newProxy()
    const storage = await open()
    await storage.close()
    await db().collection<SeedDocument>('snippets').insertMany(rows)
    const environment = { STORAGE: 'mongo', MONGODB_URL: proxy.url, ACCESS_LOG: 'off' }
    // at a scarce limit, responses would close the connections of the load
    const service = await startProcess({ ...environment, MAX_CONNECTIONS: String(2 * connections) })
    const load = await openLoop(service.url, serial => ({
      method: 'PATCH',
      target: `${generated}${idOf(serial)}/`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: `code ${serial}` }),
    }))
    const oneSucceeds = (since: number) =>
      eventually(() => load.sent.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > since))
    try {
      load.setRate(usualRate)
      await oneSucceeds(0)
      // until the service has accepted all connections
      await pause(1000)
      load.setRate(rate)
      const start = performance.now()
      await proxy.start('black hole')
      await pause(outageMs)
      await proxy.restore()
      const end = performance.now()
      await oneSucceeds(end)
      const recoveryMs = performance.now() - end
      load.setRate(usualRate)
      await pause(1000)
      await load.stop()

      const slowest = Math.max(...load.sent.map(({ ms }) => ms))
      // excludes the longest delay of this process
      expect(slowest - load.lateMs()).to.be.below(promisedMs)
      const outcomes = countsOf(load.sent)
      expect(outcomes.cut).to.equal(0)
      expect(outcomes.unapplied).to.be.above(0)
      expect(wrongRows(load.sent, await db().collection<SeedDocument>('snippets').find().toArray())).to.deep.equal([])
      const offered = load.sent.filter(({ startedAt }) => startedAt > start && startedAt < end).length / outageMs
      const [perSecond, slowestMs, recovery] = [offered * 1000, slowest, recoveryMs].map(Math.round)
      console.log(`      ${perSecond} updates/s, slowest response ${slowestMs} ms, recovery ${recovery} ms`, outcomes)
    } finally {
      service.kill('SIGKILL')
      await service.ended
      await load.stop()
    }
  })
})

/** `unapplied` and `unknown` are the two kinds of 503. `cut` is a request without a response. */
type Outcome = 'done' | 'unapplied' | 'unknown' | 'cut'

type SentRequest = Readonly<{ serial: number; startedAt: number; ms: number; outcome: Outcome }>

const tickMs = 5

/**
 * Sends requests at a constant rate, also while earlier requests wait. It opens all connections first, because a busy event
 * loop accepts only one connection after each round of up to 1,024 sockets that it reads.
 */
const openLoop = async (url: string, requestOf: (serial: number) => Request) => {
  const { host } = new URL(url)
  const idle: Client[] = []
  const sent: SentRequest[] = []
  let [serial, inFlight, rate, due, late] = [0, 0, 0, 0, 0]
  let last = performance.now()

  while (idle.length < connections) idle.push(...(await Promise.all(Array.from({ length: 50 }, () => newClient(url)))))
  const send = (): void => {
    const client = idle.pop()
    if (client === undefined) return
    const one = { serial: ++serial, startedAt: performance.now() }
    inFlight++
    client.request(bytesOf(requestOf(one.serial), host), outcome => {
      inFlight--
      sent.push({ ...one, ms: performance.now() - one.startedAt, outcome })
      if (outcome !== 'cut') idle.push(client)
    })
  }
  const timer = setInterval(() => {
    const now = performance.now()
    late = Math.max(late, now - last - tickMs)
    due += ((now - last) * rate) / 1000
    last = now
    for (; due >= 1; due--) send()
  }, tickMs)

  return {
    /** Sets how many requests start per second. */
    setRate: (perSecond: number): void => {
      rate = perSecond
    },
    sent: sent as readonly SentRequest[],
    /** Returns the longest delay of this process. Responses seem slower by this time. */
    lateMs: () => late,
    /** Starts no more requests. Resolves when all requests are answered. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await eventually(() => inFlight === 0)
      for (const client of idle) client.close()
    },
  }
}

type Client = Readonly<{ request: (bytes: Buffer, onEnd: (outcome: Outcome) => void) => void; close: () => void }>

/** Creates a client that reads only the status, the length and the problem type of a response, to use little processor time. */
const newClient = async (url: string): Promise<Client> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
  await once(socket, 'connect')
  let held = ''
  let onEnd: ((outcome: Outcome) => void) | undefined
  const end = (outcome: Outcome): void => {
    const tell = onEnd
    onEnd = undefined
    held = ''
    tell?.(outcome)
  }
  socket.on('data', chunk => {
    held += chunk
    const bodyAt = held.indexOf('\r\n\r\n') + 4
    if (bodyAt < 4) return
    const length = Number(/content-length: (\d+)/i.exec(held)?.[1])
    if (held.length >= bodyAt + length) end(outcomeOf(held))
  })
  socket.on('error', () => {})
  socket.on('close', () => end('cut'))
  return {
    request: (bytes, andThen) => {
      onEnd = andThen
      if (socket.destroyed) end('cut')
      else socket.write(bytes)
    },
    close: () => socket.destroy(),
  }
}

const outcomeOf = (response: string): Outcome => {
  const status = response.slice(9, 12)
  if (status === '200') return 'done'
  if (status !== '503') throw new Error(`unexpected response: ${response.slice(0, 500)}`)
  return response.includes('urn:snippets:outcome-unknown') ? 'unknown' : 'unapplied'
}

const countsOf = (sent: readonly SentRequest[]): Record<Outcome, number> => {
  const counts = { done: 0, unapplied: 0, unknown: 0, cut: 0 }
  for (const { outcome } of sent) counts[outcome]++
  return counts
}

/** Returns the rows that lost an acknowledged update or got one twice. The version counts the updates of a row. */
const wrongRows = (sent: readonly SentRequest[], stored: readonly SeedDocument[]): readonly SeedDocument[] =>
  stored.filter(({ _id, version }) => {
    const own = countsOf(sent.filter(({ serial }) => idOf(serial) === Number(_id)))
    const applied = version - 1
    return applied < own.done || applied > own.done + own.unknown + own.cut
  })
