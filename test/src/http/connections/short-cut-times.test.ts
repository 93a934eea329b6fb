import type { RequestListener } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { PoliteResponse } from '@snippets/adapters-http/server/polite-response.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** An idle connection closes a second after its time, as a request may be on its way. */
const limitsOf = { 'idle shorter': [200, 1_800], 'idle longer': [1_200, 700], 'twice as long': [100, 2_200] } as const

describe('The time of a connection on the short cut', () => {
  /** Once for each pair of limits, side by side. */
  const forAll = (check: (idleMs: number, stallMs: number) => Promise<void>) =>
    Promise.all(Object.values(limitsOf).map(([idleMs, stallMs]) => check(idleMs, stallMs)))

  const send = (res: PoliteResponse): boolean => res.sendWhole(200, { 'Content-Length': 2 }, 'ok', 'latin1')
  const never = (): void => {}

  type Timed = Readonly<{ client: Connection; closesAfter: () => Promise<number> }>

  const connected = async (
    limits: Partial<ServerLimits>,
    answer: (res: PoliteResponse) => unknown,
    use: (timed: Timed) => Promise<void>,
  ): Promise<void> => {
    const listener: RequestListener = (_req, res) => {
      if (!(res instanceof PoliteResponse)) throw new Error('not the response of this server')
      answer(res)
    }
    const server = await listen(listener, { host: '127.0.0.1', port: 0 }, limits)
    const client = await openConnection(server.url)
    const closesAfter = async (): Promise<number> => {
      const since = performance.now()
      await client.attempt('GET')
      // timers of Node may be early by a millisecond
      return performance.now() - since + 20
    }
    await use({ client, closesAfter })
    client.destroy()
    await server.stop(0)
  }

  it('is that of an idle one after each answer', () =>
    forAll((idleMs, stallMs) =>
      connected({ idleMs, stallMs }, send, async ({ client, closesAfter }) => {
        for (let i = 0; i < 3; i++) {
          await wait(i === 0 ? 0 : (idleMs + 1_000) / 2)
          client.send(get)
          await client.answer('GET')
        }
        expect(await closesAfter()).to.be.at.least(idleMs + 1_000)
      }),
    ))

  it('is that of a stalled one while a request is in flight', () =>
    forAll((idleMs, stallMs) =>
      connected({ idleMs, stallMs }, never, async ({ client, closesAfter }) => {
        client.send(get)
        expect(await closesAfter()).to.be.at.least(stallMs)
      }),
    ))

  it('is that of a stalled one once Node has taken over', () =>
    forAll((idleMs, stallMs) =>
      connected(
        { idleMs, stallMs },
        res => res.write('a'),
        async ({ client, closesAfter }) => {
          client.send(get)
          expect(await closesAfter()).to.be.at.least(stallMs)
        },
      ),
    ))

  it('begins anew with each byte of a body', () =>
    forAll((idleMs, stallMs) =>
      connected({ idleMs, stallMs }, never, async ({ client, closesAfter }) => {
        client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1')
        await wait(stallMs - 300)
        client.send('2')
        expect(await closesAfter()).to.be.at.least(stallMs)
      }),
    ))

  it('is whole again after an answer that took longer', () =>
    connected(
      { idleMs: 200, stallMs: 1_900 },
      res => setTimeout(send, 1_500, res),
      async ({ client, closesAfter }) => {
        client.send(get)
        await client.answer('GET')
        expect(await closesAfter()).to.be.at.least(1_200)
      },
    ))
})
