import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { streamJsonArray } from '@snippets/adapters-http/response/json-array.js'
import { expect } from 'chai'
import { countTurns } from '../support/event-loop-turns.js'

const items = Array.from({ length: 10 }, (_, i) => i)
/** A text longer than a chunk, so that each item is a chunk of its own. */
const jsonOf = (index: number): string => `"${index}${'x'.repeat(20_000)}"`

describe('A stream of JSON', () => {
  it('makes at most one chunk per turn of the event loop, for all streams together', async () => {
    const turns = countTurns()
    await Promise.all(Array.from({ length: 20 }, () => streamJsonArray('[', [items], jsonOf).toArray()))
    await turns.stop()
    expect(turns.current()).to.be.at.least(20 * items.length)
  })

  it('makes no chunk before its reader asks for it', async () => {
    let made = 0
    const body = streamJsonArray('[', [items], index => {
      made = index + 1
      return jsonOf(index)
    })
    body.pipe(new Writable({ highWaterMark: 1, write: () => {} }))
    await once(body, 'pause')
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([made, body.readableLength]).to.deep.equal([1, 0])
  })
})
