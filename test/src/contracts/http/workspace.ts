import { randomBytes } from 'node:crypto'
import { type Client, httpClient, pathOf, type Request } from '../../support/http/http-client.js'
import type { Answer } from '../../support/http/raw-http.js'
import { pageOf, type ShownSnippet, snippetOf } from '../../support/http/representations.js'

export const families = [
  { family: 'explicit', path: '/api/snippets/' },
  { family: 'generated', path: '/api/snippets-viewset/' },
] as const

export const explicit = families[0].path
export const generated = families[1].path

type Raw = Readonly<{ title: string; code: string; language: string }>

/** A place of one's own in a collection that others use too. */
export type Workspace = Readonly<{
  client: () => Client
  /** A text that nobody else uses, for the language or the title of snippets, by which they are found again. */
  marker: () => string
  create: (raw?: Partial<Raw>) => Promise<ShownSnippet>
  /** The path of a snippet that is no more. */
  vanished: (path: string) => Promise<string>
  cleanUp: () => Promise<Readonly<{ made: number; left: number }>>
}>

export const openWorkspace = (url: () => string): Workspace => {
  const run = randomBytes(6).toString('hex')
  const markers: string[] = []
  const ids = new Set<string>()
  let made = 0

  const keepAccount = ({ method, target }: Request, answer: Answer): void => {
    if (method === 'POST' && answer.status === 201) {
      made++
      ids.add(snippetOf(answer).id)
    }
    if (method === 'DELETE' && answer.status === 204) ids.delete(pathOf(target).split('/').at(-2) ?? '')
  }
  let opened: Client | undefined
  const client = (): Client => {
    opened ??= httpClient(url(), keepAccount)
    return opened
  }

  const marker = (): string => {
    const text = `contract ${run} ${markers.length}`
    markers.push(text)
    return text
  }
  const create: Workspace['create'] = async raw => {
    const language = raw?.language ?? marker()
    return snippetOf(await client().post(explicit, { title: 'a title', code: 'some code', ...raw, language }))
  }

  const remove = async (id: string): Promise<boolean> => {
    const { status } = await client().delete(`${explicit}${id}/`)
    return status === 204 || status === 404
  }
  /** Also what was stored although its answer never came. */
  const found = async (text: string): Promise<readonly string[]> => {
    const pages = ['language', 'title'].map(field =>
      client().get(`${generated}?page_size=100&${field}=${encodeURIComponent(text)}`),
    )
    return (await Promise.all(pages)).flatMap(page => pageOf(page).results.map(({ id }) => id))
  }
  const removeAll = async (some: Iterable<string>): Promise<number> => {
    let left = 0
    for (const id of some) if (!(await remove(id).catch(() => false))) left++
    return left
  }

  return {
    client,
    marker,
    create,
    vanished: async path => {
      const { id } = await create()
      await client().delete(`${explicit}${id}/`)
      return `${path}${id}/`
    },
    cleanUp: async () => {
      let left = await removeAll([...ids])
      for (const text of markers) left += await removeAll(await found(text).catch(() => []))
      client().close()
      return { made, left }
    },
  }
}
