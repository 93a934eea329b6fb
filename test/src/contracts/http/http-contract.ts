import { configAndSchema } from './config-and-schema.js'
import { createAndRead } from './create-and-read.js'
import { cursors } from './cursors.js'
import { explicitList } from './explicit-list.js'
import { filtering } from './filtering.js'
import { headers } from './headers.js'
import { idempotency } from './idempotency.js'
import { links } from './links.js'
import { methods } from './methods.js'
import { ordering } from './ordering.js'
import { paging } from './paging.js'
import { preconditions } from './preconditions.js'
import { problems } from './problems.js'
import { rawCode } from './raw-code.js'
import { searching } from './searching.js'
import { updateAndDelete } from './update-and-delete.js'
import { users } from './users.js'
import { validation } from './validation.js'
import { openWorkspace } from './workspace.js'

export type HttpHarness = Readonly<{
  /** Called after the `before` hooks. */
  url: () => string
  /** Called at the end with how many snippets were created, and how many of them could not be deleted. */
  onCleanUp?: (made: number, left: number) => void
}>

/**
 * Black-box tests for any running service. They only look at snippets that they created, and delete them at the end, so
 * the service may hold other data.
 */
export const httpContract = (name: string, harness: HttpHarness): void => {
  describe(`HTTP contract of ${name}:`, function () {
    // enough for a service across a network
    this.timeout(60_000)
    const workspace = openWorkspace(harness.url)
    after(async () => {
      const { made, left } = await workspace.cleanUp()
      harness.onCleanUp?.(made, left)
      if (left > 0) throw new Error(`${left} of ${made} snippets could not be deleted`)
    })

    createAndRead(workspace)
    idempotency(workspace)
    updateAndDelete(workspace)
    validation(workspace)
    preconditions(workspace)
    rawCode(workspace)
    explicitList(workspace)
    paging(workspace)
    cursors(workspace)
    filtering(workspace)
    searching(workspace)
    ordering(workspace)
    links(workspace)
    users(workspace)
    configAndSchema(workspace)
    methods(workspace)
    problems(workspace)
    headers(workspace)
  })
}
