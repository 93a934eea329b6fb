import { retryPreparation } from '@snippets/remote-storage/retry-preparation.js'
import { expect } from 'chai'
import { mockTime } from '../support/mock-time.js'

describe('retryPreparation', () => {
  const pass = mockTime()
  const ends = { succeeds: () => Promise.resolve(), fails: () => Promise.reject(new Error('closed')) }
  for (const [what, end] of Object.entries(ends))
    it(`reports nothing, and is not done, when it is stopped during an attempt that ${what}`, async () => {
      const reported: unknown[] = []
      const stopping = new AbortController()
      retryPreparation(stopping.signal, cause => reported.push(cause), end).then(() => reported.push('done'))
      stopping.abort()
      await pass(1000)
      expect(reported).to.deep.equal([])
    })

  it('makes no further attempt when it is stopped during a pause', async () => {
    const stopping = new AbortController()
    let attempts = 0
    const work = () => {
      attempts++
      return ends.fails()
    }
    retryPreparation(stopping.signal, () => {}, work)
    await pass(100)
    stopping.abort()
    await pass(1000)
    expect(attempts).to.equal(1)
  })

  const failures = [new Error('first'), new Error('second')]
  for (const [what, lastPause, pauseAfter] of [
    ['half a second by default', 500, undefined],
    ['as long as each failure demands', 2000, (error: unknown) => (error === failures[0] ? 500 : 2000)],
  ] as const)
    it(`reports each failure, and pauses ${what}, until the work succeeds`, async () => {
      const reported: unknown[] = []
      const work = () => {
        const failure = failures[reported.length]
        return failure === undefined ? Promise.resolve() : Promise.reject(failure)
      }
      const { signal } = new AbortController()
      let isDone = false
      retryPreparation(signal, cause => reported.push(cause), work, pauseAfter).then(() => (isDone = true))
      await pass(510)
      expect(reported).to.deep.equal(failures)
      await pass(lastPause - 20)
      expect(isDone).to.equal(false)
      await pass(20)
      expect(isDone).to.equal(true)
    })
})
