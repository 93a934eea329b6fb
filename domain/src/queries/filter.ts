import type { Content, ContentField } from '../entities/snippet.js'
import { matcherOfSearch, type Search } from './search.js'

export const filterFields = ['language', 'title'] as const satisfies readonly ContentField[]
export type FilterField = (typeof filterFields)[number]

/** The conditions of a query. A field must equal its text exactly, and the search must find the snippet. */
export type Filter = Readonly<{ [F in FilterField]?: string } & { search?: Search }>

export const filteredFields = (filter: Filter): readonly FilterField[] =>
  filterFields.filter(field => filter[field] !== undefined)

/** Returns a function that tests whether a snippet matches the filter. */
export const matcherOfFilter = (filter: Filter): ((snippet: Content) => boolean) => {
  const fields = filteredFields(filter)
  const matchesSearch = matcherOfSearch(filter.search)
  return snippet => fields.every(field => snippet[field] === filter[field]) && matchesSearch(snippet)
}

/** Tells whether no index serves a part of the filter, so that rows must be tested one by one. */
export const needsScan = ({ search }: Filter): boolean => search !== undefined
