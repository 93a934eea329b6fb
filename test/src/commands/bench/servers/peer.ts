import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Content } from '../content.js'
import type { StoredSnippet } from './trivial-store.js'

/** What the servers have in common that this one is compared with. */

/** The fields in the order of the service, for JSON.stringify. */
export const view = ({ id, title, code, language, created_at }: StoredSnippet): object => ({
  id,
  title,
  code,
  language,
  created_at,
})

export const tagOf = ({ id, version }: StoredSnippet): string => `"${id}-${version}"`

const limits = { title: 100, code: 10_000, language: 50 } as const

const isText = (value: unknown, longest: number): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= longest

const fields = ['title', 'code', 'language'] as const

export const isContent = (body: unknown): body is Content =>
  typeof body === 'object' && body !== null && fields.every(field => isText(Reflect.get(body, field), limits[field]))

export const isChanges = (body: unknown): body is Partial<Content> =>
  typeof body === 'object' &&
  body !== null &&
  fields.every(field => Reflect.get(body, field) === undefined || isText(Reflect.get(body, field), limits[field]))

/** The numbers of the pages before and after. */
export const neighboursOf = (page: number, size: number, count: number) => ({
  next: page * size < count ? page + 1 : undefined,
  previous: page > 1 ? page - 1 : undefined,
})

/** The envelope of a page. Links keep the parameters of the query. */
export const pageOf = (
  url: string,
  query: Readonly<Record<string, string>>,
  { count, items }: Readonly<{ count: number; items: readonly StoredSnippet[] }>,
): object => {
  const { next, previous } = neighboursOf(Number(query.page), 10, count)
  const { page: _, ...others } = query
  const link = (page: number | undefined): string | null =>
    page === undefined ? null : `${url}?${new URLSearchParams({ ...others, page: String(page) })}`
  return { count, next: link(next), previous: link(previous), results: items.map(view) }
}

/** Says where it listens, as the service does. */
export const listening = (server: Server): void => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
}

// the bench is gone when its end of the pipe is
process.stdin.on('end', () => process.exit()).resume()
