import { randomBytes } from 'node:crypto'
import { filterFields } from '@snippets/domain/queries/filter.js'
import { expect } from 'chai'
import { type Client, httpClient, pathOf, type Request } from '../../support/http/http-client.js'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { pageOf, problemOf, type ShownError, type ShownSnippet, snippetOf } from '../../support/http/representations.js'
import { type Body, bodyOf } from '../../support/samples.js'

export const families = [{ path: '/api/snippets/' }, { path: '/api/snippets-viewset/' }] as const

export const explicit = families[0].path
export const generated = families[1].path

/** A client, and the snippets that it creates in a collection that others may use at the same time. */
export type Sandbox = Readonly<{
  client: () => Client
  /** Returns a unique text for the language or title of snippets, which then filters them. */
  marker: () => string
  create: (given?: Partial<Body>) => Promise<ShownSnippet>
  /** Creates and deletes a snippet, and returns its path. */
  deletedSnippet: (path: string) => Promise<string>
  cleanUp: () => Promise<Readonly<{ made: number; undeleted: number }>>
}>

/** Returns the errors of a 400. */
export const errorsOf = (response: HttpResponse): readonly ShownError[] => {
  expect(response.status, response.text).to.equal(400)
  return problemOf(response).errors ?? []
}

export const openSandbox = (url: () => string): Sandbox => {
  const created = createdSnippets()
  const markers = uniqueTexts()
  let opened: Client | undefined
  const client = (): Client => {
    opened ??= httpClient(url(), created.watch)
    return opened
  }
  const create: Sandbox['create'] = async given => {
    const language = given?.language ?? markers.next()
    return snippetOf(await client().post(explicit, bodyOf({ ...given, language })))
  }
  return {
    client,
    marker: markers.next,
    create,
    deletedSnippet: async path => {
      const { id } = await create()
      await client().delete(`${explicit}${id}/`)
      return `${path}${id}/`
    },
    cleanUp: async () => {
      let undeleted = await deleteAll(client(), created.ids())
      // a snippet may have been stored although its response was lost
      for (const text of markers.all())
        undeleted += await deleteAll(client(), await idsWith(client(), text).catch(() => []))
      client().close()
      return { made: created.count(), undeleted }
    },
  }
}

/** Records which snippets a client creates and deletes. */
const createdSnippets = () => {
  const ids = new Set<string>()
  let count = 0
  return {
    watch: ({ method, target }: Request, response: HttpResponse): void => {
      // other resources may have the same ids
      if (method === 'POST' && response.status === 201 && families.some(({ path }) => path === pathOf(target))) {
        count++
        ids.add(snippetOf(response).id)
      }
      if (method === 'DELETE' && response.status === 204) ids.delete(pathOf(target).split('/').at(-2) ?? '')
    },
    ids: (): readonly string[] => [...ids],
    count: () => count,
  }
}

const uniqueTexts = () => {
  const run = randomBytes(6).toString('hex')
  const texts: string[] = []
  return {
    next: (): string => {
      // ends with a semicolon, so that no marker is a prefix of another
      const text = `contract ${run} ${texts.length};`
      texts.push(text)
      return text
    },
    all: (): readonly string[] => texts,
  }
}

const idsWith = async (client: Client, marker: string): Promise<readonly string[]> => {
  const pages = filterFields.map(field =>
    client.get(`${generated}?page_size=100&${field}=${encodeURIComponent(marker)}`),
  )
  return (await Promise.all(pages)).flatMap(page => pageOf(page).results.map(({ id }) => id))
}

/** Deletes snippets, and returns how many could not be deleted. */
const deleteAll = async (client: Client, ids: readonly string[]): Promise<number> => {
  let undeleted = 0
  for (const id of ids) if (!(await deleteOne(client, id).catch(() => false))) undeleted++
  return undeleted
}

const deleteOne = async (client: Client, id: string): Promise<boolean> => {
  const { status } = await client.delete(`${explicit}${id}/`)
  return status === 204 || status === 404
}
