import type { Content, ContentField } from '../entities/snippet.js'
import { namesOf } from '../values/record.js'
import { matcherOfSearch, type Search } from './search.js'

export const filterFields = ['language', 'title'] as const satisfies readonly ContentField[]
export type FilterField = (typeof filterFields)[number]

/** The conditions of a query. A field must equal its text exactly, and the search must find the snippet. */
export type Filter = Readonly<{ [F in FilterField]?: string } & { search?: Search }>

type RowFilter = Exclude<keyof Filter, FilterField>
type RowTest = (snippet: Content) => boolean

/** Filters without an index: each row is tested. */
const rowTests: { readonly [F in RowFilter]: (value: Filter[F]) => RowTest } = { search: matcherOfSearch }

const rowFilters = namesOf(rowTests)

export const filterNames: readonly (keyof Filter)[] = [...filterFields, ...rowFilters]

export const filteredFields = (filter: Filter): readonly FilterField[] =>
  filterFields.filter(field => filter[field] !== undefined)

/** Returns a function that tests whether a snippet matches the filter. */
export const matcherOfFilter = (filter: Filter): RowTest => {
  const fields = filteredFields(filter)
  const tests = rowFilters.map(name => rowTest(filter, name))
  return snippet => fields.every(field => snippet[field] === filter[field]) && tests.every(test => test(snippet))
}

const rowTest = <F extends RowFilter>(filter: Filter, name: F): RowTest => rowTests[name](filter[name])

/** Tells whether rows must be tested one by one, because no index finds the matches. */
export const needsScan = (filter: Filter): boolean => rowFilters.some(name => filter[name] !== undefined)
