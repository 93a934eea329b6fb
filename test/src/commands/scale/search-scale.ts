import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { aSearch, firstPage } from '../../support/queries.js'
import { draft, must } from '../../support/snippets.js'
import { contentOf, type Line, millisecondsOf } from './store-scale.js'

/** Measures searches of a storage in memory, and how long they block the event loop. */
export const measureSearch = async (count: number): Promise<readonly Line[]> => {
  const { snippets } = memoryStorage({ users: [] })
  for (let i = 0; i < count; i++) {
    const code = `${'print(x) '.repeat(54)}${i === 0 ? 'needle' : ''}`
    must(await snippets.create(draft(JSON.parse(JSON.stringify({ ...contentOf(i), code, created_at: i }))))())
  }
  const lines: Line[] = []
  for (const [kind, term] of Object.entries({ rare: 'Needle', frequent: 'PRINT' })) {
    const query = { ...firstPage(), filter: { search: aSearch(term) } }
    let wait = 0
    let before = performance.now()
    const watch = setInterval(() => {
      wait = Math.max(wait, performance.now() - before - 1)
      before = performance.now()
    }, 1)
    const ms = await millisecondsOf(async () => must(await snippets.page(query)()))
    clearInterval(watch)
    const figures = `${ms.toFixed(0)} ms; ${wait.toFixed(0)} ms at most`
    lines.push([`search for a ${kind} term in ${count} snippets; wait of other requests`, figures])
  }
  return lines
}
