import { creating } from './creating.js'
import { explicitList } from './explicit-list.js'
import { filtering } from './filtering.js'
import { fixedResources } from './fixed-resources.js'
import { headers } from './headers.js'
import { methods } from './methods.js'
import { ordering } from './ordering.js'
import { paging } from './paging.js'
import { preconditions } from './preconditions.js'
import { problems } from './problems.js'
import { users } from './users.js'
import { validation } from './validation.js'
import { openWorkspace } from './workspace.js'
import { writing } from './writing.js'

export type HttpHarness = Readonly<{
  /** Where the service is, once the hooks before have run. */
  url: () => string
  /** Told at the end how many snippets were made, and how many of them could not be removed. */
  onCleanUp?: (made: number, left: number) => void
}>

/**
 * What every running service must keep, seen from outside. It makes snippets of its own, looks at those only, and removes
 * them at the end, so it may run against a service that holds data.
 */
export const httpContract = (name: string, harness: HttpHarness): void => {
  describe(`${name} as an HTTP service`, function () {
    // over a network, too
    this.timeout(60_000)
    const workspace = openWorkspace(harness.url)
    after(async () => {
      const { made, left } = await workspace.cleanUp()
      harness.onCleanUp?.(made, left)
      if (left > 0) throw new Error(`${left} of ${made} snippets could not be removed`)
    })

    creating(workspace)
    writing(workspace)
    validation(workspace)
    preconditions(workspace)
    explicitList(workspace)
    paging(workspace)
    filtering(workspace)
    ordering(workspace)
    users(workspace)
    fixedResources(workspace)
    methods(workspace)
    problems(workspace)
    headers(workspace)
  })
}
