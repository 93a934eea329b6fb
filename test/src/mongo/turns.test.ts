import { setTimeout as pause } from 'node:timers/promises'
import { Attempt } from '@snippets/adapters-mongo/connection/attempt.js'
import { Deadlines } from '@snippets/adapters-mongo/connection/deadlines.js'
import { inTimeAfter } from '@snippets/adapters-mongo/connection/in-time.js'
import { inTurns, Turns, wouldRefuse } from '@snippets/adapters-mongo/connection/turns.js'
import { expect } from 'chai'
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { type VirtualTime, virtualTime } from '../support/virtual-time.js'

const settled = () => new Promise(setImmediate)

/** Attempts that record the order of their turns. */
const queue = (atATime: number) => {
  const turns = new Turns(atATime)
  const begun: string[] = []
  const join = (name: string, budget?: number): Attempt => {
    const attempt = new Attempt(budget)
    void turns.give(attempt, async () => begun.push(name))
    return attempt
  }
  return { begun, join }
}

describe('Turns', () => {
  it('are given in the order of arrival, so many at a time', async () => {
    const { begun, join } = queue(2)
    const [first] = ['a', 'b', 'c', 'd'].map(name => join(name))
    await settled()
    expect(begun).to.deep.equal(['a', 'b'])
    first?.end()
    await settled()
    expect(begun).to.deep.equal(['a', 'b', 'c'])
  })

  it('are refused to all that wait or come when they are closed', async () => {
    const turns = new Turns(1)
    const refused: string[] = []
    const give = (name: string) =>
      turns.give(new Attempt(), () => new Promise(() => {})).catch(() => refused.push(name))
    void give('holder')
    void give('waiting')
    turns.close()
    void give('late')
    await settled()
    expect(refused.toSorted()).to.deep.equal(['late', 'waiting'])
  })

  it('are given to the newest first when the oldest has little time left', async () => {
    const { begun, join } = queue(1)
    const holder = join('holder')
    join('old')
    join('older than the next')
    await pause(1400)
    join('new')
    holder.end()
    await settled()
    expect(begun).to.deep.equal(['holder', 'new'])
  })

  it('are given to the oldest first while it has time, even after a long wait', async () => {
    const { begun, join } = queue(1)
    const holder = join('holder')
    join('old')
    await pause(1000)
    join('new')
    holder.end()
    await settled()
    expect(begun).to.deep.equal(['holder', 'old'])
  })

  it('are not given to the newest when it has no time left, as it had less than the oldest', async () => {
    const { begun, join } = queue(1)
    const holder = join('holder')
    join('oldest', 800)
    join('newest', 200)
    await pause(400)
    holder.end()
    await settled()
    expect(begun).to.deep.equal(['holder', 'oldest'])
  })

  it('are foreseen for one that comes when those in line are too late', async () => {
    const turns = new Turns(1)
    const give = (attempt: Attempt) => void turns.give(attempt, () => new Promise(() => {}))
    const first = new Attempt()
    give(first)
    for (let i = 0; i < 300; i++) give(new Attempt(200))
    await pause(30)
    first.end()
    expect(turns.isFullFor(100)).to.equal(true)
    await pause(100)
    expect(turns.isFullFor(100)).to.equal(false)
  })

  it('are not given to an attempt that is over', async () => {
    const { begun, join } = queue(1)
    const holder = join('holder')
    join('gone').end()
    join('there')
    holder.end()
    await settled()
    expect(begun).to.deep.equal(['holder', 'there'])
  })

  it('end at the deadline when the database never answers, and all who wait are answered too', async () => {
    const inTurn = inTurns(
      inTimeAfter(async () => {}),
      new Turns(1),
    )
    let runs = 0
    const hang = inTurn(() => {
      runs++
      return new Promise<Either<never, never>>(() => {})
    })
    const answers = await Promise.all([hang(), hang(), hang()])
    expect(answers.every(isLeft)).to.equal(true)
    expect(runs).to.equal(1)
    expect(await inTurn(async () => right('served'))()).to.deep.equal(right('served'))
  })
})

/** Turns of work that goes on until the test answers it, or that is given up. */
const held = (most: number) => {
  const turns = new Turns(most)
  const underWay: Readonly<{ answer: () => Promise<void>; giveUp: () => void }>[] = []
  const join = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const attempt = new Attempt()
      const work = () =>
        new Promise<void>(resolve => underWay.push({ answer: answering(resolve), giveUp: () => attempt.end() }))
      const answering = (resolve: () => void) => async () => {
        resolve()
        await settled()
        attempt.end()
      }
      void turns.give(attempt, work)
    }
  }
  return { join, underWay }
}

describe('The number of turns at a time', () => {
  let time: VirtualTime
  beforeEach(() => {
    time = virtualTime()
  })
  afterEach(() => time.end())

  const failAfter = async (ms: number, times: number, { underWay }: ReturnType<typeof held>): Promise<number[]> => {
    const counts: number[] = []
    for (let i = 0; i < times; i++) {
      await time.pass(ms)
      counts.push(underWay.length)
      for (const { giveUp } of underWay.splice(0)) giveUp()
    }
    return counts
  }

  const answerAfter = async (ms: number, times: number, { underWay }: ReturnType<typeof held>): Promise<number[]> => {
    const counts: number[] = []
    for (let i = 0; i < times; i++) {
      await time.pass(ms)
      counts.push(underWay.length)
      for (const { answer } of underWay.splice(0)) await answer()
    }
    return counts
  }

  it('falls by half when operations time out, once for all that were under way together, and not below two', async () => {
    const work = held(8)
    work.join(100)
    expect(await failAfter(600, 2, work)).to.deep.equal([8, 4])
    work.join(100)
    expect(await failAfter(600, 2, work)).to.deep.equal([2, 2])
  })

  it('stays when operations fail soon', async () => {
    const work = held(8)
    work.join(100)
    expect(await failAfter(10, 4, work)).to.deep.equal([8, 8, 8, 8])
  })

  it('rises by one with each operation that is answered soon, up to what the connections carry', async () => {
    const work = held(8)
    work.join(100)
    await failAfter(600, 2, work)
    expect(await answerAfter(10, 4, work)).to.deep.equal([2, 4, 8, 8])
  })

  it('rises by one with all that are slow together', async () => {
    const work = held(8)
    work.join(100)
    await failAfter(600, 2, work)
    work.join(100)
    expect(await answerAfter(510, 2, work)).to.deep.equal([2, 3])
  })
})

describe('Operations on a database that is asked for ten times what it can do', () => {
  let time: VirtualTime
  beforeEach(() => {
    time = virtualTime()
  })
  afterEach(() => time.end())

  /** One operation after the other, also those that nobody waits for any more. */
  const slowDatabase = (msForEach: number) => {
    let freeAt = 0
    return (): Promise<Either<never, string>> => {
      const now = performance.now()
      freeAt = Math.max(now, freeAt) + msForEach
      return new Promise(resolve => setTimeout(() => resolve(right('done')), freeAt - now))
    }
  }

  const overloaded = async (msForEach: number, ms: number) => {
    const [deadlines, turns] = [new Deadlines(), new Turns(50)]
    const inTime = inTimeAfter(async () => {}, undefined, deadlines)
    const operation = inTurns(inTime, turns)(slowDatabase(msForEach))
    const answers: { isForeseen: boolean; isDone: boolean; at: number; ms: number }[] = []
    const ask = async (): Promise<void> => {
      const begunAt = performance.now()
      const isForeseen = wouldRefuse(deadlines, turns)
      const answer = await operation()
      const at = performance.now()
      answers.push({ isForeseen, isDone: !isLeft(answer), at: at - start, ms: at - begunAt })
    }
    const start = performance.now()
    let asked = 0
    await time.pass(ms, () => {
      for (; asked < (performance.now() - start) * (10 / msForEach); asked++) void ask()
    })
    return answers
  }

  for (const perSecond of [10, 20, 100])
    it(`are done at nearly the rate that it can do, ${perSecond} a second`, async () => {
      const seconds = 20
      const answers = await overloaded(1000 / perSecond, seconds * 1000)
      const done = answers.filter(({ isDone, at }) => isDone && at > (seconds - 5) * 1000)
      expect(done.length / 5).to.be.above(0.8 * perSecond)
    })

  it('are mostly refused at once', async () => {
    const answers = await overloaded(10, 10_000)
    const refused = answers.filter(({ isDone, at }) => !isDone && at > 5000)
    expect(refused.filter(({ ms }) => ms < 2).length).to.be.above(0.8 * refused.length)
  })

  it('are refused when that is foreseen, and nearly only then', async () => {
    const answers = await overloaded(10, 10_000)
    const refused = answers.filter(({ isDone, ms }) => !isDone && ms < 2)
    expect(refused.filter(({ isForeseen }) => isForeseen).length).to.be.above(0.9 * refused.length)
    expect(answers.filter(({ isForeseen }) => isForeseen).every(one => refused.includes(one))).to.equal(true)
  })
})
