import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Content, ContentField } from '../entities/snippet.js'
import type { Reason } from '../values/codec.js'

declare const validSearch: unique symbol

export const searchFields = ['title', 'code'] as const satisfies readonly ContentField[]

export const maxSearchLength = 200
export const maxSearchTerms = 8

/**
 * One or more terms. A snippet matches if each term occurs in one of the fields. Only `parseSearch` makes a search.
 *
 * Two code points are equal if the simple case folding of Unicode maps them to the same one (status C and S in
 * https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt). Nothing is normalised, and no character of a term is
 * a wildcard. A storage implements these rules itself, or calls `matcherOfFilter`.
 */
export type Search = readonly string[] & { readonly [validSearch]: 'Search' }

/** A term in double quotes or without white space. */
const terms = /"[^"]*"|\S+/g

/**
 * Parses a search. Returns None if the text has no term. A double quote inside a term, or without a second one, is an
 * ordinary character, so that a client may search while its user types.
 */
export const parseSearch = (text: string): E.Either<Reason<'length' | 'search'>, O.Option<Search>> => {
  // a code point takes one or two UTF-16 units
  if (text.length > maxSearchLength && [...text].length > maxSearchLength)
    return E.left({ code: 'length', message: `search must be at most ${maxSearchLength} characters` })
  const found = text.match(terms) ?? []
  const search = found.map(term => term.replace(/^"(.*)"$/s, '$1')).filter(term => term !== '')
  if (search.length > maxSearchTerms)
    return E.left({ code: 'search', message: `search must have at most ${maxSearchTerms} terms` })
  return E.right(search.length === 0 ? O.none : O.some(search as readonly string[] as Search))
}

/** Escapes the characters that have a meaning in regular expressions. */
export const escapeTerm = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

export const filterFields = ['language', 'title'] as const satisfies readonly ContentField[]
export type FilterField = (typeof filterFields)[number]

/** The conditions of a query. A field must equal its text exactly, and the search must find the snippet. */
export type Filter = Readonly<{ [F in FilterField]?: string } & { search?: Search }>

export const filteredFields = (filter: Filter): readonly FilterField[] =>
  filterFields.filter(field => filter[field] !== undefined)

/** Returns a function that tests whether a snippet matches. It loops, because callbacks double the cost of a scan. */
export const matcherOfFilter = (filter: Filter): ((snippet: Content) => boolean) => {
  const fields = filteredFields(filter)
  // both flags together are simple case folding: https://tc39.es/ecma262/#sec-runtime-semantics-canonicalize-ch
  const patterns = (filter.search ?? []).map(term => new RegExp(escapeTerm(term), 'iu'))
  return snippet => {
    for (const field of fields) if (snippet[field] !== filter[field]) return false
    for (const pattern of patterns) if (!isFound(pattern, snippet)) return false
    return true
  }
}

const isFound = (pattern: RegExp, snippet: Content): boolean => {
  for (const field of searchFields) if (pattern.test(snippet[field])) return true
  return false
}

/** Tells whether no index serves a part of the filter, so that rows must be tested one by one. */
export const needsScan = ({ search }: Filter): boolean => search !== undefined
