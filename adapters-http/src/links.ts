import { pipe } from 'fp-ts/lib/function.js'
import { getOrElse, type Option } from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'

/** Where the service is for its clients: what the operator says, else what the client itself wrote. */
export type Links = Readonly<{
  absolute: (ctx: Context, pathAndQuery: string) => string
  location: (path: string) => string
}>

export const linksFrom = (publicUrl: Option<string>): Links => ({
  absolute: (ctx, pathAndQuery) =>
    pipe(
      publicUrl,
      getOrElse(() => `http://${authority(ctx)}`),
    ) + pathAndQuery,
  location: path =>
    pipe(
      publicUrl,
      getOrElse(() => ''),
    ) + path,
})

/** A target in absolute form goes before the Host. HTTP/1.0 knows requests without either: then it is the address that was reached. */
const authority = ({ req }: Context): string => {
  const [, named = ''] = /^https?:\/\/([^/?]*)/i.exec(req.url ?? '') ?? []
  if (wellFormed.test(named)) return named
  if (req.headers.host !== undefined) return req.headers.host
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}

const wellFormed = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._~-]*)|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

/** One Host, and nothing in it that a link could not carry. HTTP/1.1 demands it. */
export const hasProperHost = ({ headers, httpVersion, rawHeaders }: Context['req']): boolean => {
  if (headers.host === undefined) return httpVersion === '1.0'
  return wellFormed.test(headers.host) && !comesTwice(rawHeaders)
}

const comesTwice = (rawHeaders: readonly string[]): boolean => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
