// The parts that the other servers share: a minimal store, validation and the parts of an answer.
import { randomUUID } from 'node:crypto'
import { contentFields } from '@snippets/domain/entities/snippet.js'

const all = []
const byLanguage = new Map()

/** Adds a snippet, whose fields have the order of the service. */
export const add = body => {
  const { title, code, language } = body
  const snippet = { id: all.length + 1, title, code, language, created_at: new Date().toISOString() }
  all.push(snippet)
  if (!byLanguage.has(language)) byLanguage.set(language, [])
  byLanguage.get(language).push(snippet)
  return snippet
}

export const find = id => all[id - 1]

/** Returns a page of a language, newest first. */
export const pageOf = (url, { language, ordering, page = 1 }) => {
  const matches = byLanguage.get(language) ?? []
  const end = Math.max(0, matches.length - (page - 1) * 10)
  const link = number => `${url}?${new URLSearchParams({ language, ordering, page: String(number) })}`
  return {
    count: matches.length,
    next: page * 10 < matches.length ? link(page + 1) : null,
    previous: page > 1 ? link(page - 1) : null,
    results: matches.slice(Math.max(0, end - 10), end).reverse(),
  }
}

export const tagOf = ({ id }) => `"${id}-1"`
export const locationOf = ({ id }) => `/api/snippets/${id}/`

export const faultsOf = body =>
  Object.entries(contentFields).flatMap(([field, { limits }]) => {
    const { max } = limits
    const value = body?.[field]
    if (typeof value !== 'string') return [{ field, code: 'type', message: `${field} must be a string` }]
    if (value.length >= 1 && value.length <= max) return []
    return [{ field, code: 'length', message: `${field} must be between 1 and ${max} characters` }]
  })

export const queryFaultsOf = ({ language, ordering, page, ...unknown }) =>
  Object.keys(unknown).map(name => ({ parameter: name, code: 'unknown', message: `${name} is not a parameter` }))

export const problem = (status, title, errors) => ({ type: 'about:blank', title, status, ...(errors && { errors }) })

export const requestId = given => (/^[\w.-]{1,64}$/.test(given ?? '') ? given : randomUUID())

export const headers = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }
