import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { OrderingField } from '@snippets/domain/list/ordering.js'
import type { FilterField } from '@snippets/domain/list/page.js'
import type { Plan } from '@snippets/domain/list/plan.js'
import { codePointKey } from '@snippets/domain/values/text.js'

type Field = FilterField | OrderingField

/** What plans sort by. `<` MUST compare the texts by code point. */
export type SortValues = Readonly<{ [F in Field]: Snippet[F] extends string ? string : number }>

/** Where a snippet stands in every order. */
export type Place = SortValues & Readonly<{ id: bigint }>

/** A field that no plan asks about may be missing. */
export const sortValues = ({ created_at = 0, title = '', language = '' }: Partial<SortValues>): SortValues => ({
  created_at,
  title: codePointKey(title),
  language: codePointKey(language),
})

type Compare<A> = (a: A, b: A) => number

const compareKeys = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A function for each field is many times as fast as one that is told the field. */
const ascending: { readonly [F in Field]: Compare<SortValues> } = {
  created_at: (a, b) => a.created_at - b.created_at,
  title: (a, b) => compareKeys(a.title, b.title),
  language: (a, b) => compareKeys(a.language, b.language),
}

/** Less than 0 when the first comes first in the plan, by its fields alone. */
export const compareFields = (plan: Plan): Compare<SortValues> => {
  const [first, ...others] = plan.map(
    ({ field, direction }): Compare<SortValues> =>
      direction === 'asc' ? ascending[field] : (a, b) => ascending[field](b, a),
  )
  if (first === undefined) return () => 0
  return others.reduce((before, next) => (a, b) => before(a, b) || next(a, b), first)
}

/** The id comes last, and ascends. */
export const comparePlaces = (plan: Plan) => {
  const byFields = compareFields(plan)
  return (a: Place, b: Place): number => byFields(a, b) || (a.id < b.id ? -1 : a.id === b.id ? 0 : 1)
}

/** A snippet as lists hold it: itself where its texts are their own keys, as nearly all are, else a copy with the keys. */
export type Entry = Snippet | (Place & Readonly<{ snippet: Snippet }>)

export const entryOf = (snippet: Snippet): Entry => {
  const values = sortValues(snippet)
  return values.title === snippet.title && values.language === snippet.language
    ? snippet
    : { ...values, id: snippet.id, snippet }
}

export const snippetOf = (entry: Entry): Snippet => ('snippet' in entry ? entry.snippet : entry)

/** Sorts entries that come by id, as `comparePlaces` would. V8 sorts bare texts in a fraction of the time of any function of ours. */
export const sortedBy = (plan: Plan, entries: readonly Entry[]): readonly Entry[] => {
  const [key, ...others] = plan
  if (key === undefined || entries.length < 2) return entries
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const text = entry[key.field]
    if (typeof text === 'number') return entries.toSorted(compareFields(plan))
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [entry])
    else group.push(entry)
  }
  const texts = [...groups.keys()].sort()
  if (key.direction === 'desc') texts.reverse()
  return texts.flatMap(text => sortedBy(others, groups.get(text) ?? []))
}
