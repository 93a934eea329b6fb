import { indexedPlans, nameOf, type Plan } from '@snippets/domain/plan.js'
import { type Collection, type IndexDescription, MongoServerError } from 'mongodb'
import type { Log } from '../log.js'
import type { SnippetDocument } from './snippet-document.js'
import { sortBy } from './snippet-pages.js'

export const indexOf = (plan: Plan): IndexDescription & Readonly<{ name: string }> => ({
  name: `page(${nameOf(plan)})`,
  key: sortBy(plan, 'asc'),
})

/** Too many indexes, or one of the same key or name with other options: trying again does not help. */
const refusals: readonly unknown[] = [67, 85, 86]

export const isRefusedIndex = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && refusals.includes(error.code)

/** Makes the indexes that are missing, which may take hours. */
export const makePageIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  const refused = new Set<string>()
  for (const index of indexedPlans.map(indexOf)) {
    try {
      await snippets.createIndexes([index])
    } catch (error) {
      if (!isRefusedIndex(error)) throw error
      refused.add(index.name)
      log.warn({ index: index.name, reason: error.message }, 'the database refuses an index; its pages stay slow')
    }
  }
  log.info({ indexes: indexedPlans.length - refused.size }, 'the indexes of pages are there')
}
