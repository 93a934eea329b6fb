import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { RequestReader } from './reader.js'

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
    baseUrl: { read: ({ state: { authority } }) => E.right(base || (authority ? `http://${authority}` : '')) },
    location: path => base + path,
  }
}
