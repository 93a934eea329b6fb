import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createExclusiveTurns } from '@snippets/adapters-http/server/exclusive-turn.js'
import { LongResponses } from '@snippets/adapters-http/server/long-responses.js'
import { expect } from 'chai'
import { countTurns } from '../support/event-loop-turns.js'

describe('A body in pieces', () => {
  let made = 0
  const ends: boolean[] = []
  beforeEach(() => {
    made = 0
    ends.length = 0
  })

  async function* pieces() {
    for (let piece = 0; piece < 10; piece++) yield Buffer.from(String(made++))
  }

  const aResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
  const open = (bodies: LongResponses): Readable | undefined =>
    bodies.open(aResponse(), pieces(), ['x'], wasComplete => ends.push(wasComplete))
  const opened = (bodies = new LongResponses(100, createExclusiveTurns())): Readable =>
    open(bodies) ?? expect.fail('no memory')

  it('shares the turns of the event loop: all bodies together make at most one piece in a turn', async () => {
    const bodies = new LongResponses(100, createExclusiveTurns())
    const turns = countTurns()
    await Promise.all(Array.from({ length: 20 }, () => opened(bodies).toArray()))
    await turns.stop()
    expect(turns.current()).to.be.at.least(20 * 10)
    expect(ends).to.deep.equal(Array(20).fill(true))
  })

  it('makes no piece before its reader asks for it', async () => {
    const body = opened()
    body.pipe(new Writable({ highWaterMark: 1, write: () => {} }))
    await once(body, 'pause')
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([made, body.readableLength]).to.deep.equal([1, 0])
  })

  it('reports its end once: when it is destroyed before or after its first piece, or gets no memory', async () => {
    await once(opened().destroy(), 'close')
    const body = opened()
    await once(body, 'readable')
    await once(body.destroy(), 'close')
    expect(ends).to.deep.equal([false, false])
    const full = new LongResponses(1, createExclusiveTurns())
    full.reserveList(aResponse())
    expect(open(full)).to.equal(undefined)
    expect(ends).to.deep.equal([false, false, false])
  })
})
