import type { RequestListener } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Answer, ok, problemAnswer } from '../answer/answer.js'
import { methodNotAllowed, problem } from '../answer/problems.js'

/** The source of the page `/metrics`. */
export type MetricsPage = Readonly<{ contentType: string; metrics: () => Promise<string> }>

/** The sources of the pages. The error of `ready` is a sentence that says why the service is not ready. */
export type AdminOptions = Readonly<{ ready: TaskEither<string, void>; registry: MetricsPage }>

/** Returns the listener of the admin port, for tools of the operator. */
export const adminApp = ({ ready, registry }: AdminOptions): RequestListener => {
  const pages: Readonly<Record<string, () => Promise<Answer>>> = {
    '/livez': async () => ok('{"status":"live"}'),
    '/readyz': async () =>
      pipe(
        await ready(),
        E.match(
          detail => problemAnswer(problem('not-ready', { detail })),
          () => ok('{"status":"ready"}'),
        ),
      ),
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    }),
  }
  const answer = async (method = '', url = ''): Promise<Answer> => {
    const page = pages[url.replace(/\?.*/, '')]
    if (page === undefined) return problemAnswer(problem('unknown-path'))
    return method === 'GET' || method === 'HEAD' ? page() : problemAnswer(methodNotAllowed(method, ['GET', 'HEAD']))
  }
  return async ({ method, url }, res) => {
    const { status, headers, body } = await answer(method, url).catch(() => problemAnswer(problem('internal')))
    // the server answers a broken body itself
    if (!res.headersSent) res.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body)
  }
}
