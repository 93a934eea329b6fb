import { bodies } from './bodies.js'
import { idempotency } from './idempotency.js'
import { links } from './links.js'
import { methods } from './methods.js'
import { paging } from './paging.js'
import { preconditions } from './preconditions.js'
import { queries } from './queries.js'
import { openSandbox } from './sandbox.js'
import { snippets } from './snippets.js'
import { usersAndConfig } from './users-and-config.js'

const parts = [...[snippets, bodies, idempotency, preconditions, paging, links], ...[queries, usersAndConfig, methods]]

/**
 * Tests any running service as a black box. Writes only to snippets that it created, and deletes them at the end, so
 * the service may hold other data. The contracts of storages cover searching, sorting and persistence. Calls `url`
 * after the `before` hooks.
 */
export const httpContract = (name: string, url: () => string): void => {
  describe(`HTTP contract of ${name}:`, function () {
    // enough for a service across a network
    this.timeout(60_000)
    const sandbox = openSandbox(url)
    after(sandbox.cleanUp)

    for (const part of parts) part(sandbox)
  })
}
