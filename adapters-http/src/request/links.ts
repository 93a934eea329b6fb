import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import type { RequestReader } from './reader.js'
import { authorityIn } from './target.js'

/**
 * The URLs of the service, based on PUBLIC_URL. Without PUBLIC_URL, `baseUrl` comes from the request, and other URLs
 * are relative. Without a Host, as HTTP/1.0 allows, every URL is relative.
 */
export type Links = Readonly<{
  baseUrl: RequestReader<string>
  location: (path: string) => string
}>

export const makeLinks = (publicUrl: O.Option<string>): Links => {
  const base = O.getOrElse(() => '')(publicUrl)
  return {
    baseUrl: { read: ctx => E.right(base || hostUrl(ctx)) },
    location: path => base + path,
  }
}

/** Returns the URL of the host of a request. An absolute target takes precedence over Host (RFC 9112, 3.2.2). */
const hostUrl = ({ req, originalUrl }: Context): string => {
  const authority = authorityIn(originalUrl) ?? req.headers.host
  return authority === undefined ? '' : `http://${authority}`
}
