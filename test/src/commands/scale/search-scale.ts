import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { windowOf } from '@snippets/domain/page.js'
import { byId } from '../../support/queries.js'
import { aSearch } from '../../support/searches.js'
import { draft, must } from '../../support/snippets.js'
import { contentOf } from './scale-content.js'
import type { Line } from './store-scale.js'

const count = 100_000

/** Searches of a storage in memory, and how long others wait for the event loop meanwhile. */
export const measureSearch = async (): Promise<readonly Line[]> => {
  const { snippets } = memoryStorage({ users: [] })
  for (let i = 0; i < count; i++) {
    const { title, language } = contentOf(i)
    const code = `${'print(x) '.repeat(54)}${i === count / 2 ? 'needle' : ''}`
    must(await snippets.create(draft(JSON.parse(JSON.stringify({ title, language, code, created_at: i }))))())
  }
  const lines: Line[] = []
  for (const [kind, term] of Object.entries({ rare: 'Needle', frequent: 'PRINT' })) {
    const query = { filter: { search: aSearch(term) }, ordering: byId, window: windowOf(1, 10) }
    let wait = 0
    let before = performance.now()
    const watch = setInterval(() => {
      wait = Math.max(wait, performance.now() - before - 1)
      before = performance.now()
    }, 1)
    const begun = performance.now()
    must(await snippets.page(query)())
    const ms = performance.now() - begun
    clearInterval(watch)
    lines.push([
      `search for a ${kind} term among ${count}; others wait`,
      `${ms.toFixed(0)} ms; ${wait.toFixed(0)} ms at most`,
    ])
  }
  return lines
}
