import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** `unapplied` and `unknown` are the two kinds of 503; `cut` is no answer. */
export type AskedOutcome = 'done' | 'unapplied' | 'unknown' | 'cut'

export type Asked = Readonly<{ serial: number; startedAt: number; ms: number; outcome: AskedOutcome }>

const tickMs = 5

/**
 * Asks at a rate of its own, whatever becomes of earlier requests. The connections are open before, as new ones would wait: a
 * busy event loop accepts one for each round of up to 1,024 sockets that it reads.
 */
export const openLoop = async (url: string, connections: number, bytesOf: (serial: number) => string) => {
  const { hostname, port } = new URL(url)
  const idle: Client[] = []
  const asked: Asked[] = []
  let serial = 0
  let underWay = 0
  let rate = 0
  let due = 0
  let last = performance.now()
  let late = 0

  while (idle.length < connections)
    idle.push(...(await Promise.all(Array.from({ length: 50 }, () => newClient(hostname, Number(port))))))
  const send = (): void => {
    const client = idle.pop()
    if (client === undefined) return
    const one = { serial: ++serial, startedAt: performance.now() }
    underWay++
    client.ask(bytesOf(one.serial), outcome => {
      underWay--
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
      while (underWay > 0) await new Promise(resolve => setTimeout(resolve, tickMs))
      for (const client of idle) client.close()
    },
  }
}

type Client = Readonly<{
  ask: (bytes: string, onEnd: (outcome: AskedOutcome) => void) => void
  close: () => void
}>

/** Reads only what this load needs of an answer: its status, its length, and the type of a problem. */
const newClient = async (host: string, port: number): Promise<Client> => {
  const socket: Socket = connect(port, host).setNoDelay(true).setEncoding('latin1')
  await once(socket, 'connect')
  let held = ''
  let onEnd: ((outcome: AskedOutcome) => void) | undefined
  const end = (outcome: AskedOutcome): void => {
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

const outcomeOf = (answer: string): AskedOutcome => {
  const status = answer.slice(9, 12)
  if (status === '200') return 'done'
  if (status !== '503') throw new Error(`unexpected answer: ${answer.slice(0, 500)}`)
  return answer.includes('urn:snippets:outcome-unknown') ? 'unknown' : 'unapplied'
}
