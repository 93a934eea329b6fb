import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { problem } from '../answer/problems.js'
import { type AdminAnswer, broken, refusal, text } from './admin-app.js'
import type { AskedPage } from './admin-thread-messages.js'

/** What the page `/metrics` shows. */
export type MetricsPage = Readonly<{ contentType: string; metrics: () => Promise<string> }>

/** `ready` says in a sentence why the service is not ready. */
export type AdminDeps = Readonly<{ ready: TaskEither<string, void>; registry: MetricsPage }>

const isReady = text('application/json', '{"status":"ready"}')

/** The pages that the main thread makes. */
export const adminPages = ({ ready, registry }: AdminDeps): ((page: AskedPage) => Promise<AdminAnswer>) => {
  const pages = {
    readyz: async () => {
      const answer = await ready()
      return E.isRight(answer) ? isReady : refusal(problem('not-ready', { detail: answer.left }))
    },
    metrics: async () => text(registry.contentType, await registry.metrics()),
  }
  return page => pages[page]().catch(() => broken)
}
