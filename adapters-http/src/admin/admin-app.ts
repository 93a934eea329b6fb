import type { RequestListener } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { methodNotAllowed, problem } from '../response/problems.js'
import { type HttpResponse, ok, problemResponse } from '../response/response.js'

/** The source of the page `/metrics`. */
export type MetricsPage = Readonly<{ contentType: string; metrics: () => Promise<string> }>

/** The sources of the pages. The error of `ready` is a sentence that says why the service is not ready. */
export type AdminOptions = Readonly<{ ready: TaskEither<string, void>; registry: MetricsPage }>

/** Returns the listener of the admin port, for tools of the operator. */
export const adminApp = ({ ready, registry }: AdminOptions): RequestListener => {
  const pages: Readonly<Record<string, () => Promise<HttpResponse>>> = {
    '/livez': async () => ok('{"status":"live"}'),
    '/readyz': async () =>
      pipe(
        await ready(),
        E.match(
          detail => problemResponse(problem('not-ready', { detail })),
          () => ok('{"status":"ready"}'),
        ),
      ),
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    }),
  }
  const respond = async (method = '', url = ''): Promise<HttpResponse> => {
    const page = pages[url.replace(/\?.*/, '')]
    if (page === undefined) return problemResponse(problem('unknown-path'))
    return method === 'GET' || method === 'HEAD' ? page() : problemResponse(methodNotAllowed(method, ['GET', 'HEAD']))
  }
  return async ({ method, url }, res) => {
    const { status, headers, body } = await respond(method, url).catch(() => problemResponse(problem('internal')))
    // the server answers a broken body itself
    if (!res.headersSent) res.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body)
  }
}
