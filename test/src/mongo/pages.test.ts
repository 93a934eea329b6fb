import { setTimeout as pause } from 'node:timers/promises'
import { searchTooBroad } from '@snippets/domain/ports/errors.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import type { Document } from 'mongodb'
import { eventually } from '../support/eventually.js'
import { describeWithDatabase, documentOf } from '../support/mongo/database.js'
import { commandName } from '../support/mongo/wire-message.js'
import { aSearch, byId, firstPage } from '../support/queries.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, must } from '../support/snippets.js'

const timedOut = { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' }
const stepDown = { ok: 0, code: 11_602, codeName: 'InterruptedDueToReplStateChange', errmsg: 'stepped down' }

describeWithDatabase('A page in MongoDB', ({ collection, openBehindFront }) => {
  /** Opens a storage with 100 rows. `reply` sets a reply to one command, in place of the database. */
  const openFilled = async () => {
    const { log, warnings } = recordingLog()
    const { front, snippets } = await openBehindFront({ log })
    const rows = Array.from({ length: 100 }, (_, i) => documentOf(i + 1, { language: i < 8 ? 'go' : 'c' }))
    await collection().insertMany(rows)
    const reply = (name: string, document: Document): void =>
      front.intercept(command => (commandName(command) === name ? document : undefined))
    const read = async (query: SnippetQuery) => {
      const before = front.commands().length
      const { items, ...counted } = must(await snippets.page(query)())
      return { ...counted, items: items.length, commands: front.commands().slice(before) }
    }
    const numbered = (page: number, size: number, language: string) =>
      read({ filter: { language }, ordering: byId, window: makeWindow(page, size) })
    return { snippets, commands: front.commands, answer: front.intercept, reply, read, numbered, warnings }
  }

  const seek = { side: 'after', position: { id: anId(1n) } } as const
  const replyWith = (firstBatch: readonly Document[]) => ({
    ok: 1,
    cursor: { id: 0n, ns: 'test.snippets', firstBatch },
  })
  const counting = (n: number) => replyWith([{ _id: 1, n }])

  it('beside a position is not counted when the deadline passes while it skips malformed rows', async () => {
    const { snippets, commands, answer } = await openFilled()
    const malformed = (limit: number) => Array.from({ length: limit }, (_, i) => ({ _id: BigInt(i + 2) }))
    answer(({ find, limit }) => (find === 'snippets' ? replyWith(malformed(Number(limit))) : undefined))
    const window = makeWindow(1, 1)
    expect(await snippets.page({ filter: {}, ordering: byId, window, seek })()).to.have.nested.property(
      'left._tag',
      'Unavailable',
    )
    // the last read may still be in progress
    await eventually(async () => {
      const { length } = commands()
      await pause(100)
      return commands().length === length
    })
    expect(commands()).to.include('find').and.to.not.include('count').and.to.not.include('aggregate')
  })

  it('beside a position has the row after a long run of malformed rows, which takes few reads', async () => {
    const { read } = await openFilled()
    const run = Array.from({ length: 250 }, (_, i) => ({ ...documentOf(i + 101), title: '' }))
    await collection().insertMany([...run, documentOf(351), documentOf(352)])
    const position = { id: anId(100n) }
    const page = await read({ filter: {}, ordering: byId, window: makeWindow(1, 1), seek: { side: 'after', position } })
    expect(page).to.deep.include({ count: 352, items: 1, hasMore: true })
    expect(page.commands.filter(name => name === 'find')).to.have.length(4)
  })

  it('is counted with a command only when its rows do not show the count', async () => {
    const { numbered } = await openFilled()
    for (const [page, size, language, expected] of [
      [1, 10, 'none', { count: 0, items: 0, hasMore: false, commands: ['find'] }],
      [1, 8, 'go', { count: 8, items: 8, hasMore: false, commands: ['find'] }],
      [2, 7, 'go', { count: 8, items: 1, hasMore: false, commands: ['find'] }],
      [1, 7, 'go', { count: 8, items: 7, hasMore: true, commands: ['find', 'aggregate'] }],
      [2, 8, 'go', { count: 8, items: 0, hasMore: false, commands: ['find', 'aggregate'] }],
    ] as const)
      expect(await numbered(page, size, language)).to.deep.equal(expected)
  })

  it('counts the rows that were read as a lower bound when counting times out', async () => {
    const { reply, read, numbered } = await openFilled()
    reply('aggregate', timedOut)
    expect(await numbered(3, 10, 'c')).to.include({ count: 31, precision: 'lower-bound', items: 10 })
    expect(await numbered(12, 10, 'c')).to.include({ count: 0, precision: 'lower-bound', items: 0 })
    expect(await numbered(10, 10, 'c')).to.deep.include({ count: 92, items: 2, commands: ['find'] })
    const beside = { ...firstPage({ language: 'c' }), seek }
    expect(await read(beside)).to.include({ count: 11, precision: 'lower-bound', hasMore: true, items: 10 })
  })

  it('counts the rows that were read as a lower bound, and logs the cause, when the database cannot count', async () => {
    const { reply, read, numbered, warnings } = await openFilled()
    reply('aggregate', { ok: 0, code: 292, codeName: 'QueryExceededMemoryLimitNoDiskUseAllowed', errmsg: 'no memory' })
    expect(await numbered(3, 10, 'c')).to.include({ count: 31, precision: 'lower-bound', items: 10 })
    expect(await read({ ...firstPage({ language: 'c' }), seek })).to.include({ count: 11, precision: 'lower-bound' })
    expect(warnings().map(({ msg }) => msg)).to.deep.equal(['MongoDB fails'])
  })

  it('counts up to 100,000 matches, and sends no count when its rows prove that there are more', async () => {
    const { answer, numbered } = await openFilled()
    const rows = Array.from({ length: 11 }, (_, i) => documentOf(i + 1))
    for (const [matches, page, expected] of [
      [100_000, 1, { count: 100_000, commands: ['find', 'aggregate'] }],
      [3_000_000, 1, { count: 100_000, precision: 'lower-bound', commands: ['find', 'aggregate'] }],
      [3_000_000, 10_000, { count: 100_001, precision: 'lower-bound', commands: ['find'] }],
      [3_000_000, 500_000, { count: 100_000, precision: 'lower-bound', commands: ['find', 'aggregate'] }],
    ] as const) {
      answer(({ find, skip, aggregate, pipeline }) => {
        if (find === 'snippets') return replyWith(skip < matches ? rows : [])
        if (aggregate === 'snippets')
          return counting(Math.min(matches, ...pipeline.flatMap(({ $limit = [] }) => $limit)))
        return undefined
      })
      const { items, hasMore, ...counted } = await numbered(page, 10, 'go')
      expect(counted).to.deep.equal(expected)
    }
  })

  it('has a count that agrees with its rows, when both were read at different times', async () => {
    const { reply, read, numbered } = await openFilled()
    reply('aggregate', counting(4))
    expect(await numbered(1, 10, 'c')).to.include({ count: 11, items: 10 })
    expect(await read({ ...firstPage({ language: 'go' }), seek })).to.include({ count: 7, hasMore: false, items: 7 })
    reply('aggregate', counting(99))
    expect(await numbered(4, 10, 'go')).to.include({ count: 30, items: 0 })
  })

  it('without a filter has an estimated count if the collection is large, and an exact one if it is small', async () => {
    const { reply, read } = await openFilled()
    for (const [estimate, counted, commands] of [
      [10_000, { count: 10_000, precision: 'estimate' }, ['find', 'count']],
      [9_999, { count: 100 }, ['find', 'count', 'aggregate']],
    ] as const) {
      reply('count', { ok: 1, n: estimate })
      expect(await read(firstPage())).to.deep.equal({ ...counted, items: 10, hasMore: true, commands })
    }
  })

  it('is SearchTooBroad when its search times out, and Unavailable in other cases', async () => {
    const { snippets, reply } = await openFilled()
    const filter = { search: aSearch('e') }
    const queries = [firstPage(filter), { ...firstPage(filter), seek }, firstPage(), { ...firstPage(), seek }]
    const results = () => Promise.all(queries.map(query => snippets.page(query)()))
    reply('find', timedOut)
    const [search, searchBeside, ...others] = await results()
    for (const result of [search, searchBeside]) expect(result).to.deep.equal(left(searchTooBroad))
    for (const result of others) expect(result).to.have.nested.property('left.outcome', 'unapplied')
    reply('find', stepDown)
    for (const result of await results()) expect(result).to.have.nested.property('left.outcome', 'unapplied')
    reply('aggregate', stepDown)
    for (const query of [firstPage({ language: 'c' }), { ...firstPage({ language: 'c' }), seek }])
      expect(await snippets.page(query)()).to.have.nested.property('left.outcome', 'unapplied')
  })
})
