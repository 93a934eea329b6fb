import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import type { RequestReader } from './reader.js'
import { authorityIn } from './target.js'

export const schemaPath = '/api/schema/'

/** The URLs of the service, based on PUBLIC_URL. Without it, `baseUrl` comes from the request, others are relative. */
export type Links = Readonly<{
  baseUrl: RequestReader<string>
  location: (path: string) => string
  /** A Link header to the OpenAPI document (RFC 8631). */
  descriptionLink: string
}>

export const linksFrom = (publicUrl: O.Option<string>): Links => ({
  baseUrl: { read: ctx => TE.right(O.getOrElse(() => `http://${authorityOf(ctx)}`)(publicUrl)) },
  location: path => baseOf(publicUrl) + path,
  descriptionLink: `<${baseOf(publicUrl)}${schemaPath}>; rel="service-desc"`,
})

const baseOf = O.getOrElse(() => '')

/**
 * Returns the host and port for links. An absolute target takes precedence over Host (RFC 9112, 3.2.2). Without both,
 * as HTTP/1.0 allows, the result is the address that the client connected to.
 */
const authorityOf = ({ req, originalUrl }: Context): string => {
  const authority = O.toUndefined(authorityIn(originalUrl)) ?? req.headers.host
  if (authority !== undefined) return authority
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
