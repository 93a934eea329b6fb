import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { everyShape } from '../support/queries.js'
import type { Body } from '../support/samples.js'
import { anyRevision, draft, must } from '../support/snippets.js'

/** Measures after some turns of the event loop, which release the objects of earlier steps. */
const usedMemory = async (): Promise<number> => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  for (let i = 0; i < 3; i++) {
    await turnOfTheLoop()
    gc()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Texts as from a request body: without JSON, V8 shares equal texts and keeps concatenations in parts. */
const parsed = (texts: Partial<Body>): Partial<Body> => JSON.parse(JSON.stringify(texts))

const codes = { 'a single letter': 'x', ASCII: 'x'.repeat(10_000), Cyrillic: 'ж'.repeat(10_000) }

describe('The memory storage', () => {
  for (const [what, code] of Object.entries(codes))
    it(`takes no more memory than it counts, with a list for every plan: ${what}`, async () => {
      const { snippets, heldBytes } = createMemoryStorage({ users: [] })
      for (const { filtered, ordering } of everyShape) {
        const filter = Object.fromEntries(filtered.map(field => [field, 'a']))
        must(await snippets.page({ filter, ordering, window: makeWindow(1, 1) })())
      }
      const before = await usedMemory()
      // so many that other allocations of the process do not matter
      const count = code.length > 1 ? 2_000 : 5_000
      for (let i = 0; i < count; i++) {
        const texts = parsed({ title: `title ${(i * 7919) % count}`, code, language: `language ${i % 100}` })
        must(await snippets.create(draft({ ...texts, created_at: i }))())
      }
      const taken = (await usedMemory()) - before
      expect(taken).to.be.below(heldBytes())
      expect(taken).to.be.above(heldBytes() / 4)
    })

  it('holds no deleted snippet while the reader of a list pauses', async () => {
    const { snippets } = createMemoryStorage({ users: [] })
    const create = async () => must(await snippets.create(draft(parsed({ code: codes.ASCII })))())
    for (let i = 0; i < 300; i++) await create()
    const batches = snippets.all()[Symbol.asyncIterator]()
    await batches.next()
    // a function of its own, because a suspended function keeps its variables
    const replaceAll = async () => {
      const created = await Promise.all(Array.from({ length: 1000 }, create))
      for (const { id } of created) must(await snippets.delete(id, anyRevision)())
    }
    const before = await usedMemory()
    for (let round = 0; round < 2; round++) await replaceAll()
    expect((await usedMemory()) - before).to.be.below(2_000_000)
    expect((await batches.next()).value).to.have.nested.property('right.length', 300 - 256)
  })
})
