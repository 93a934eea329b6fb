import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { generated } from '../../contracts/http/workspace.js'
import { eventually } from '../../support/eventually.js'
import { bytesOf, type Request } from '../../support/http/http-client.js'
import { describeMongo, documentOf, mongoForEach } from '../../support/mongo/database.js'
import { startProcess } from '../../support/service/child-process.js'

const promisedMs = 2500
/** Updates offered per second during an outage. Fewer come where this machine cannot send as many. */
const rate = Number(process.env.OUTAGE_RATE ?? 3000)
const outageMs = 3000
// what the engine of these tests carries on two shared cores, with room to catch up
const usualRate = Math.min(80, rate)
/** As many as wait for an answer at a time: what the service does not refuse at once waits for half a second or so. */
const connections = Math.min(rate, 2000)

type Row = Readonly<{ _id: bigint; version: number }>

const rows = Array.from({ length: 1000 }, (_, i) => documentOf(i + 1))
const idOf = (serial: number): number => (serial % rows.length) + 1

describeMongo('Under pressure, with its database away, the service', engine => {
  const { db, open, proxy: newProxy } = mongoForEach(engine)

  it(`answers ${rate} updates a second in time, loses none, makes none twice, and works again after it`, async function () {
    this.timeout(60_000)
    const proxy = await newProxy()
    const storage = await open()
    await storage.close()
    await db().collection<Row>('snippets').insertMany(rows)
    const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: proxy.url, ACCESS_LOG: 'off' })
    const load = await openLoop(service.url, serial => ({
      method: 'PATCH',
      target: `${generated}${idOf(serial)}/`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: `code ${serial}` }),
    }))
    const oneSucceeds = (since: number) =>
      eventually(() => load.asked.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > since))
    try {
      load.setRate(usualRate)
      await oneSucceeds(0)
      // until the service has taken all connections
      await pause(1000)
      load.setRate(rate)
      const start = performance.now()
      proxy.start('black hole')
      await pause(outageMs)
      await proxy.restore()
      const end = performance.now()
      await oneSucceeds(end)
      const recoveryMs = performance.now() - end
      load.setRate(usualRate)
      await pause(1000)
      await load.stop()

      const slowest = Math.max(...load.asked.map(({ ms }) => ms))
      // the time at which the client was not there to read is not the service's
      expect(slowest - load.lateMs()).to.be.below(promisedMs)
      const outcomes = countsOf(load.asked)
      expect(outcomes.cut).to.equal(0)
      expect(outcomes.unapplied).to.be.above(0)
      expect(wrongRows(load.asked, await db().collection<Row>('snippets').find().toArray())).to.deep.equal([])
      const offered = load.asked.filter(({ startedAt }) => startedAt > start && startedAt < end).length / outageMs
      const [perSecond, slowestMs, recovery] = [offered * 1000, slowest, recoveryMs].map(Math.round)
      console.log(`      ${perSecond} updates/s, slowest answer ${slowestMs} ms, recovery ${recovery} ms`, outcomes)
    } finally {
      service.kill('SIGKILL')
      await service.ended
      await load.stop()
    }
  })
})

/** `unapplied` and `unknown` are the two kinds of 503; `cut` is no answer. */
type Outcome = 'done' | 'unapplied' | 'unknown' | 'cut'

type Asked = Readonly<{ serial: number; startedAt: number; ms: number; outcome: Outcome }>

const tickMs = 5

/**
 * Asks at a rate of its own, whatever becomes of earlier requests. The connections are open before, as new ones would wait: a
 * busy event loop accepts one for each round of up to 1,024 sockets that it reads.
 */
const openLoop = async (url: string, requestOf: (serial: number) => Request) => {
  const { host } = new URL(url)
  const idle: Client[] = []
  const asked: Asked[] = []
  let [serial, inFlight, rate, due, late] = [0, 0, 0, 0, 0]
  let last = performance.now()

  while (idle.length < connections) idle.push(...(await Promise.all(Array.from({ length: 50 }, () => newClient(url)))))
  const send = (): void => {
    const client = idle.pop()
    if (client === undefined) return
    const one = { serial: ++serial, startedAt: performance.now() }
    inFlight++
    client.ask(bytesOf(requestOf(one.serial), host), outcome => {
      inFlight--
      asked.push({ ...one, ms: performance.now() - one.startedAt, outcome })
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
    /** How many requests begin in each second from now on. */
    setRate: (perSecond: number): void => {
      rate = perSecond
    },
    asked: asked as readonly Asked[],
    /** How late this process was to ask and to read, at worst: an answer seems slower by as much. */
    lateMs: () => late,
    /** Begins no more requests, and resolves when the others have their answers. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await eventually(() => inFlight === 0)
      for (const client of idle) client.close()
    },
  }
}

type Client = Readonly<{ ask: (bytes: Buffer, onEnd: (outcome: Outcome) => void) => void; close: () => void }>

/** Reads only what this load needs of an answer, as it shares the machine: its status, its length, and the type of a problem. */
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
    ask: (bytes, andThen) => {
      onEnd = andThen
      if (socket.destroyed) end('cut')
      else socket.write(bytes)
    },
    close: () => socket.destroy(),
  }
}

const outcomeOf = (answer: string): Outcome => {
  const status = answer.slice(9, 12)
  if (status === '200') return 'done'
  if (status !== '503') throw new Error(`unexpected answer: ${answer.slice(0, 500)}`)
  return answer.includes('urn:snippets:outcome-unknown') ? 'unknown' : 'unapplied'
}

const countsOf = (asked: readonly Asked[]): Record<Outcome, number> => {
  const counts = { done: 0, unapplied: 0, unknown: 0, cut: 0 }
  for (const { outcome } of asked) counts[outcome]++
  return counts
}

/** Rows that have lost an acknowledged update, or have one too many: the version tells how many each has. */
const wrongRows = (asked: readonly Asked[], stored: readonly Row[]): readonly Row[] =>
  stored.filter(({ _id, version }) => {
    const own = countsOf(asked.filter(({ serial }) => idOf(serial) === Number(_id)))
    const applied = version - 1
    return applied < own.done || applied > own.done + own.unknown + own.cut
  })
