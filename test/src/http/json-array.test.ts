import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { streamJsonArray } from '@snippets/adapters-http/response/json-array.js'
import { expect } from 'chai'
import { countTurns } from '../support/event-loop-turns.js'

/** A text longer than a chunk, so that each item is a chunk of its own. */
const long = 'x'.repeat(20_000)
const jsonOf = (index: number): string => `"${index}${long}"`
const items = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

async function* batchOf(count: number): AsyncGenerator<readonly number[]> {
  yield items(count)
}

describe('A stream of JSON', () => {
  it('makes at most one chunk per turn of the event loop, for all streams together', async () => {
    const turns = countTurns()
    await Promise.all(Array.from({ length: 20 }, () => streamJsonArray('[', batchOf(10), jsonOf).toArray()))
    await turns.stop()
    expect(turns.current()).to.be.at.least(20 * 10)
  })

  it('makes no chunk before its reader asks for it', async () => {
    let made = 0
    const body = streamJsonArray('[', [items(10)], index => {
      made = index + 1
      return jsonOf(index)
    })
    const stalled = new Writable({ highWaterMark: 1, write: () => {} })
    body.pipe(stalled)
    await once(body, 'pause')
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([made, body.readableLength]).to.deep.equal([1, 0])
  })
})
