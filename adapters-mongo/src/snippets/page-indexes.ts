import type { Log } from '@snippets/application/remote-storage/log.js'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import { indexedPlans, type Plan, planName } from '@snippets/domain/queries/plan.js'
import type { Collection, IndexDescription } from 'mongodb'
import { isRejectedIndex } from '../collections/rejections.js'
import type { SnippetDocument } from './snippet-document.js'
import { sortBy } from './snippet-pages.js'

/** Makes an index. Returns false and logs the consequence if the database rejects the index permanently. */
export const makeIndex = async (
  collection: Readonly<{ createIndexes: (indexes: IndexDescription[]) => Promise<unknown> }>,
  index: IndexDescription,
  log: Log,
  consequence: string,
): Promise<boolean> => {
  try {
    await collection.createIndexes([index])
    return true
  } catch (error) {
    if (!isRejectedIndex(error)) throw error
    log.warn({ index: index.name, err: redactError(error) }, `the database rejects an index; ${consequence}`)
    return false
  }
}

export const pageIndex = (plan: Plan) => ({ name: `page(${planName(plan)})`, key: sortBy(plan, 'asc') })

/** Makes the missing indexes, which may take hours. */
export const makePageIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  for (const plan of indexedPlans) await makeIndex(snippets, pageIndex(plan), log, 'pages that need it stay slow')
  log.info({}, 'finished building the page indexes; a warning names each index that the database rejected')
}
