import { connect, type Socket } from 'node:net'

export type Asked = Readonly<{ kind: string; id: number; startedAt: number; ms: number; outcome: AskedOutcome }>

/** `unapplied` and `unknown` are the two kinds of 503; `cut` is no answer. */
export type AskedOutcome = 'done' | 'unapplied' | 'unknown' | 'cut'

export type Ask = Readonly<{ kind: string; id: number; bytes: string }>

export type OpenLoop = Readonly<{
  /** Opens connections. New ones would wait: a busy event loop accepts one for each round of up to 1,024 sockets that it reads. */
  open: (connections: number) => Promise<void>
  /** How many requests begin in each second, whatever becomes of earlier ones. */
  setRate: (perSecond: number) => void
  isIdle: () => boolean
  asked: readonly Asked[]
  /** How late this process was to ask and to read, at worst: an answer seems slower by as much. */
  lateMs: () => number
  /** Begins no more requests, and resolves when the others have their answers. */
  stop: () => Promise<void>
}>

const tickMs = 5
const maxConnections = 3800
const opensAtOnce = 50

/** Asks at a rate of its own, on as many connections as that takes. */
export const openLoop = (url: string, next: () => Ask): OpenLoop => {
  const { hostname, port } = new URL(url)
  const idle: Client[] = []
  const asked: Asked[] = []
  let open = 0
  let underWay = 0
  let rate = 0
  let due = 0
  let last = performance.now()
  let late = 0

  const connectOne = (onConnect = () => {}): Client => {
    open++
    return newClient(connect(Number(port), hostname, onConnect))
  }
  const send = (): void => {
    const client = idle.pop() ?? (open < maxConnections ? connectOne() : undefined)
    if (client === undefined) return
    const { kind, id, bytes } = next()
    const startedAt = performance.now()
    underWay++
    client.ask(bytes, outcome => {
      underWay--
      asked.push({ kind, id, startedAt, ms: performance.now() - startedAt, outcome })
      if (outcome === 'cut') open--
      else idle.push(client)
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
    open: async connections => {
      while (open < connections)
        await Promise.all(
          Array.from({ length: opensAtOnce }, () => new Promise<void>(resolve => idle.push(connectOne(resolve)))),
        )
    },
    setRate: perSecond => {
      rate = perSecond
    },
    isIdle: () => rate === 0,
    asked,
    lateMs: () => late,
    stop: async () => {
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
const newClient = (socket: Socket): Client => {
  let held = ''
  let onEnd: ((outcome: AskedOutcome) => void) | undefined
  const end = (outcome: AskedOutcome): void => {
    const tell = onEnd
    onEnd = undefined
    held = ''
    tell?.(outcome)
  }
  socket.setNoDelay(true).setEncoding('latin1')
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
