import type { Revision, Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import type { Representation } from './respond.js'

/** JSON.stringify refuses a bigint, and its digits are JSON as they are. */
export const snippetJson = ({ id, title, code, language, created_at }: Snippet): string =>
  `{"id":${id},"title":${JSON.stringify(title)},"code":${JSON.stringify(code)},"language":${JSON.stringify(language)},"created_at":"${new Date(created_at).toISOString()}"}`

export const entityTag = ({ created_at, version }: Revision): string => `"${created_at.toString(36)}-${version}"`

const remembered = new WeakMap<Snippet, Required<Representation>>()

/** A snippet never changes, so its JSON is made once and kept for as long as the storage keeps the snippet. */
export const representSnippet = (snippet: Snippet): Required<Representation> => {
  const known = remembered.get(snippet)
  if (known !== undefined) return known
  const made = { json: snippetJson(snippet), etag: entityTag(snippet) }
  remembered.set(snippet, made)
  return made
}

export const representUser = ({ id, username }: User): Representation => ({
  json: `{"id":${id},"username":${JSON.stringify(username)}}`,
})
