import type { Log } from '@snippets/application/log.js'
import { indexedPlans, type Plan, planName } from '@snippets/domain/queries/plan.js'
import type { Collection } from 'mongodb'
import { ensureIndex } from '../collections/ensure-index.js'
import type { SnippetDocument } from './snippet-document.js'
import { sortBy } from './snippet-pages.js'

export const pageIndex = (plan: Plan) => ({ name: `page(${planName(plan)})`, key: sortBy(plan, 'asc') })

/** Makes the missing indexes, which may take hours. */
export const ensurePageIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  for (const plan of indexedPlans) await ensureIndex(snippets, pageIndex(plan), log, 'pages that need it stay slow')
  log.info({}, 'finished building the page indexes; a warning names each index that the database rejected')
}
