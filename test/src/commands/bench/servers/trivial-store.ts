import type { Content } from '../content.js'

export type StoredSnippet = Content & {
  id: number
  created_at: string
  version: number
  /** For a server that remembers it. */
  json?: string | undefined
}

export type PageQuery = Readonly<{ language: string; ordering: string; page: number; size: number }>

/** What the servers that this one is compared with keep snippets in: it can do what the bench asks for, and nothing else. */
export class TrivialStore {
  readonly #all: StoredSnippet[] = []
  readonly #byLanguage = new Map<string, StoredSnippet[]>()

  create({ title, code, language }: Content): StoredSnippet {
    const created_at = new Date().toISOString()
    const snippet = { id: this.#all.length + 1, title, code, language, created_at, version: 1, json: undefined }
    this.#all.push(snippet)
    this.#ofLanguage(language).push(snippet)
    return snippet
  }

  get(id: number): StoredSnippet | undefined {
    return this.#all[id - 1]
  }

  update(id: number, { title, code, language }: Partial<Content>): StoredSnippet | undefined {
    const snippet = this.get(id)
    if (snippet === undefined) return undefined
    if (language !== undefined && language !== snippet.language) throw new Error('a language cannot change here')
    const changed = { title: title ?? snippet.title, code: code ?? snippet.code }
    return Object.assign(snippet, changed, { version: snippet.version + 1, json: undefined })
  }

  all(): readonly StoredSnippet[] {
    return this.#all
  }

  /** The newest first: those that were created last are at the end. */
  page({ language, ordering, page, size }: PageQuery): Readonly<{ count: number; items: readonly StoredSnippet[] }> {
    if (ordering !== '-created_at') throw new Error('there is only one order here')
    const matches = this.#ofLanguage(language)
    const end = Math.max(0, matches.length - (page - 1) * size)
    return { count: matches.length, items: matches.slice(Math.max(0, end - size), end).reverse() }
  }

  #ofLanguage(language: string): StoredSnippet[] {
    const known = this.#byLanguage.get(language)
    if (known !== undefined) return known
    const added: StoredSnippet[] = []
    this.#byLanguage.set(language, added)
    return added
  }
}
