import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { snippetRepresentation } from '@snippets/adapters-http/answer/snippet-representation.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { SnippetTable } from '@snippets/adapters-memory/snippet-table.js'
import { storageFull } from '@snippets/domain/errors.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must } from '../support/snippets.js'

/** After a turn of the event loop, which lets go of what earlier steps still held. */
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

/** Through JSON, as a body arrives: otherwise V8 keeps one copy of equal texts, and parts instead of a whole. */
const arrived = (texts: Readonly<{ title: string; code: string; language: string }>): typeof texts =>
  JSON.parse(JSON.stringify(texts))

const load = (table: SnippetTable, snippets: readonly Snippet[]): void => {
  table.load(snippets)
  table.indexLoaded()
}

const add = (table: SnippetTable, snippets: readonly Snippet[]): void => {
  for (const snippet of snippets) table.add(snippet)
}

/** With the title that they have, as a client does that changes something else. */
const addAndUpdate = (table: SnippetTable, snippets: readonly Snippet[]): void => {
  add(table, snippets)
  for (const { id, title } of snippets)
    table.update(id, changes(arrived({ title, code: 'other', language: 'l' })), anyRevision)
}

const codes = {
  'a single letter': 'x',
  ASCII: 'x'.repeat(10_000),
  'lines of code': '    if (x) {\n'.repeat(769),
  Cyrillic: 'ж'.repeat(10_000),
  emoji: '😀'.repeat(10_000),
  'control characters': '\u0001'.repeat(10_000),
}

describe('The memory storage', () => {
  for (const [what, code] of Object.entries(codes))
    it(`takes no more memory than it counts, with the JSON that is remembered: ${what}`, async () => {
      const { snippets, heldBytes } = memoryStorage({ users: [] })
      const before = await usedMemory()
      const count = code.length > 1 ? 500 : 10_000
      for (let i = 0; i < count; i++) {
        const texts = arrived({ title: `title ${(i * 7919) % count}`, code, language: `language ${i % 100}` })
        const snippet = must(await snippets.create(draft({ ...texts, created_at: i }))())
        // as the answer is written, which makes one string of its parts
        Buffer.byteLength(snippetRepresentation.show(snippet).json)
      }
      const taken = (await usedMemory()) - before
      expect(taken).to.be.below(heldBytes())
      expect(taken).to.be.above(heldBytes() / 4)
    })

  it('keeps equal titles once, whether they were created, loaded or written again', async () => {
    const count = 20_000
    const snippetsWith = (titleOf: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => {
        const texts = arrived({ title: titleOf(i).padStart(100, 'ж'), code: 'c', language: 'l' })
        return firstVersion(anId(BigInt(i + 1)), draft(texts))
      })
    const bytesFor = async (fill: (table: SnippetTable) => void): Promise<number> => {
      const before = await usedMemory()
      const table = new SnippetTable({ firstId: 1n, ceiling: Number.POSITIVE_INFINITY })
      fill(table)
      const bytes = (await usedMemory()) - before
      // or the table might be collected before
      expect(table.held).to.be.above(0)
      return bytes / count
    }
    const distinct = await bytesFor(table => add(table, snippetsWith(String)))
    for (const fill of [load, add, addAndUpdate]) {
      const equal = await bytesFor(table =>
        fill(
          table,
          snippetsWith(() => 'the same'),
        ),
      )
      // 100 letters in two bytes each
      expect(distinct - equal).to.be.above(150)
    }
  })

  it('takes what fills it to the last byte, and not a byte more', async () => {
    const { snippets, heldBytes } = memoryStorage({ users: [] })
    must(await snippets.create(draft())())
    const exact = memoryStorage({ users: [], ceilingBytes: heldBytes() })
    const short = memoryStorage({ users: [], ceilingBytes: heldBytes() - 1 })
    expect(isRight(await exact.snippets.create(draft())())).to.equal(true)
    expect(await short.snippets.create(draft())()).to.deep.equal(left(storageFull))
  })

  it('holds nothing once every snippet is deleted, whatever was written before', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 })
    const texts = fc.record({ title: text, code: text, language: text })
    const writes = fc.array(fc.record({ texts, update: fc.boolean(), of: fc.nat() }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(writes, async all => {
        const { snippets, heldBytes } = memoryStorage({ users: [] })
        const ids: Awaited<ReturnType<typeof create>>[] = []
        const create = async (raw: Parameters<typeof draft>[0]) => must(await snippets.create(draft(raw))()).id
        for (const { texts, update, of } of all) {
          const id = ids[of % ids.length]
          if (update && id !== undefined) must(await snippets.update(id, changes(texts), anyRevision)())
          else ids.push(await create(texts))
        }
        expect(heldBytes() > 0).to.equal(ids.length > 0)
        for (const id of ids) must(await snippets.delete(id, anyRevision)())
        expect(heldBytes()).to.equal(0)
      }),
      { numRuns: 100 },
    )
  })
})
