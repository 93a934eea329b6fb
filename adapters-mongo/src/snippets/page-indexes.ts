import { indexedPlans, nameOf, type Plan } from '@snippets/domain/list/plan.js'
import { type Collection, type IndexDescription, MongoServerError } from 'mongodb'
import type { Log } from '../log.js'
import type { SnippetDocument } from './snippet-document.js'
import { sortBy } from './snippet-pages.js'

/** Too many indexes, or one of the same key or name with other options: trying again does not help. */
const refusals: readonly unknown[] = [67, 85, 86]

/** False, and a line of the log, where the database refuses the index. */
export const makeIndex = async (
  snippets: Pick<Collection<SnippetDocument>, 'createIndexes'>,
  index: IndexDescription,
  { warn }: Log,
  consequence: string,
): Promise<boolean> => {
  try {
    await snippets.createIndexes([index])
    return true
  } catch (error) {
    if (!(error instanceof MongoServerError) || !refusals.includes(error.code)) throw error
    warn({ index: index.name, reason: error.message }, `the database refuses an index; ${consequence}`)
    return false
  }
}

export const indexOf = (plan: Plan) => ({ name: `page(${nameOf(plan)})`, key: sortBy(plan, 'asc') })

/** Makes the indexes that are missing, which may take hours. */
export const makePageIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  for (const plan of indexedPlans) await makeIndex(snippets, indexOf(plan), log, 'its pages stay slow')
  log.info({}, 'the indexes of pages are there')
}
