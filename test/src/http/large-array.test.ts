import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { arrayAnswer } from '@snippets/adapters-http/answer/array-answer.js'
import { expect } from 'chai'

const itemsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text: 'é'.repeat(10_000) }))
const show = (item: object) => ({ json: JSON.stringify(item) })
const whole = (items: readonly object[]): string => JSON.stringify({ items })
const answerOf = (items: readonly object[]) => arrayAnswer('{"items":[', items, show)

describe('An array in an answer', () => {
  it('is one text up to 256 K characters', async () => {
    const items = itemsOf(26)
    expect((await answerOf(items)).body).to.equal(whole(items))
  })

  it('is sent in pieces when it is longer, also once its length is known', async () => {
    const items = itemsOf(30)
    for (let time = 0; time < 2; time++) {
      const { body } = await answerOf(items)
      if (typeof body !== 'object') throw new Error('it was joined at once')
      expect(body.bytes).to.equal(Buffer.byteLength(whole(items)))
      const fresh = time === 0 ? items.map(item => Buffer.byteLength(show(item).json)) : []
      expect(body.kept).to.equal(2 * fresh.reduce((sum, bytes) => sum + bytes, 0))
      const pieces: string[] = []
      for await (const piece of body.pieces()) pieces.push(piece)
      expect(pieces.join('')).to.equal(whole(items))
      expect(Math.max(...pieces.map(({ length }) => length))).to.be.below(32 * 1024 + 10_100)
    }
  })

  it('leaves a turn of the event loop to others after each piece', async () => {
    const items = itemsOf(100)
    let turns = 0
    let isDone = false
    const others = async () => {
      while (!isDone) {
        await turnOfTheLoop()
        turns++
      }
    }
    const running = others()
    const { body } = await answerOf(items)
    const measuring = turns
    let pieces = 0
    if (typeof body === 'object') for await (const _piece of body.pieces()) pieces++
    isDone = true
    expect(measuring).to.be.at.least(25)
    expect(pieces).to.be.at.least(25)
    expect(turns - measuring).to.be.at.least(pieces - 1)
    await running
  })
})
