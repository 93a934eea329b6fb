import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import { authorityOf } from './target.js'

export const schemaPath = '/api/schema/'

/** Where clients find the service: at PUBLIC_URL where the operator set it, else where the request was sent. */
export type Links = Readonly<{
  origin: (ctx: Context) => string
  location: (path: string) => string
  /** A Link header to the OpenAPI document (RFC 8631). */
  toDescription: string
}>

export const linksFrom = (publicUrl: O.Option<string>): Links => ({
  origin: ctx =>
    pipe(
      publicUrl,
      O.getOrElse(() => `http://${authorityOf(ctx)}`),
    ),
  location: path => baseOf(publicUrl) + path,
  toDescription: `<${baseOf(publicUrl)}${schemaPath}>; rel="service-desc"`,
})

/** Without one, links are relative to the request. */
const baseOf = (publicUrl: O.Option<string>): string =>
  pipe(
    publicUrl,
    O.getOrElse(() => ''),
  )
