import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Client, httpClient, pathOf, type Request } from '../../support/http/http-client.js'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { problemOf, type ShownError, type ShownSnippet, snippetOf } from '../../support/http/representations.js'
import { type Body, bodyOf } from '../../support/samples.js'

export const families = [{ path: '/api/snippets/' }, { path: '/api/snippets-viewset/' }] as const

export const explicit = families[0].path
export const generated = families[1].path

export type Sandbox = ReturnType<typeof openSandbox>

/** Returns the errors of a 400. */
export const errorsOf = (response: HttpResponse): readonly ShownError[] => {
  expect(response.status, response.text).to.equal(400)
  return problemOf(response).errors ?? []
}

/** Opens a client, and creates snippets in a collection that others may use at the same time. */
export const openSandbox = (url: () => string) => {
  const ids = new Set<string>()
  const watch = ({ method, target }: Request, response: HttpResponse): void => {
    // other resources may have the same ids
    if (method === 'POST' && response.status === 201 && families.some(({ path }) => path === pathOf(target)))
      ids.add(snippetOf(response).id)
    if (method === 'DELETE' && response.status === 204) ids.delete(pathOf(target).split('/').at(-2) ?? '')
  }
  let opened: Client | undefined
  const client = (): Client => {
    opened ??= httpClient(url(), watch)
    return opened
  }
  const run = randomBytes(6).toString('hex')
  let markers = 0
  /** Returns a unique text for the language or title of snippets, which then filters them. */
  // ends with a semicolon, so that no marker is a prefix of another
  const marker = (): string => `contract ${run} ${markers++};`
  const create = async (given: Partial<Body> = {}): Promise<ShownSnippet> => {
    const response = await client().post(explicit, bodyOf({ language: marker(), ...given }))
    expect(response.status, response.text).to.equal(201)
    return snippetOf(response)
  }
  return {
    client,
    marker,
    create,
    /** Creates and deletes a snippet, and returns its path. */
    deletedSnippet: async (path: string): Promise<string> => {
      const { id } = await create()
      await client().delete(`${explicit}${id}/`)
      return `${path}${id}/`
    },
    /** Deletes what is left of the created snippets. */
    cleanUp: async (): Promise<void> => {
      for (const id of ids) {
        const { status } = await client().delete(`${explicit}${id}/`)
        expect(status, `snippet ${id} may be left`).to.be.oneOf([204, 404])
      }
      client().close()
    },
  }
}
