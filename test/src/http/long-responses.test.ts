import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { jsonArray } from '@snippets/adapters-http/response/json-array.js'
import { createExclusiveTurn } from '@snippets/adapters-http/server/exclusive-turn.js'
import { LongResponses } from '@snippets/adapters-http/server/long-responses.js'
import { toJson } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { countTurns } from '../support/event-loop-turns.js'

describe('A body in pieces', () => {
  let made = 0

  async function* pieces() {
    for (let piece = 0; piece < 10; piece++) yield Buffer.from(String(made++))
  }

  const aResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
  const stream = (bodies: LongResponses): Readable => bodies.stream(aResponse(), pieces())

  it('shares the turns of the event loop: all bodies together make at most one piece in a turn', async () => {
    const bodies = new LongResponses(100, createExclusiveTurn())
    const turns = countTurns()
    await Promise.all(Array.from({ length: 20 }, () => stream(bodies).toArray()))
    await turns.stop()
    expect(turns.current()).to.be.at.least(20 * 10)
  })

  it('makes no piece before its reader asks for it', async () => {
    made = 0
    const body = stream(new LongResponses(100, createExclusiveTurn()))
    body.pipe(new Writable({ highWaterMark: 1, write: () => {} }))
    await once(body, 'pause')
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([made, body.readableLength]).to.deep.equal([1, 0])
  })

  it('counts two bytes for each character of its items', () => {
    const long = 'x'.repeat(20_000)
    expect(jsonArray('', [{ title: long, others: ['z', null] }], toJson)).to.include({ bytes: 40_002 })
  })
})
