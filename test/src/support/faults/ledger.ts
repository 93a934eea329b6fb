import type { Outcome } from './client.js'

/** A snippet as it is stored. */
export type StoredSnippet = Readonly<{ id: bigint; title: string; code: string }>

/** The outcome of each write. */
export type Ledger = Readonly<{
  /** Snippets that were acknowledged as created. */
  created: { id: string; title: string; code: string }[]
  /** Creations with a key that have not succeeded yet, by their serial numbers. */
  repeating: Set<number>
  /** The outcome of each create and delete, by the title of its snippet. Titles are unique. */
  creations: Map<string, Outcome>
  deletions: Map<string, Outcome>
  /** By the id of a counter: the numbers that were acknowledged, and how many updates had an unknown outcome. */
  counts: Map<bigint, { set: number[]; inDoubt: number }>
}>

export const openLedger = (): Ledger => ({
  created: [],
  repeating: new Set(),
  creations: new Map(),
  deletions: new Map(),
  counts: new Map(),
})

export type Audit = Readonly<{
  /** Acknowledged writes that the database does not show. */
  lost: readonly string[]
  /** Ids that were assigned twice. */
  duplicateIds: readonly string[]
  /** Writes that were applied twice, or although they were reported as unapplied. */
  unexpected: readonly string[]
}>

/** Compares the outcomes with the rows at the end. */
export const audit = ({ created, creations, deletions, counts }: Ledger, rows: readonly StoredSnippet[]): Audit => {
  const byId = new Map(rows.map(row => [String(row.id), row]))
  const titles = rows.map(({ title }) => title)
  const stored = new Set(titles)
  const withOutcome = (outcomes: ReadonlyMap<string, Outcome>, outcome: Outcome) =>
    [...outcomes].flatMap(([title, found]) => (found === outcome ? [title] : []))
  const counters = [...counts].map(([id, { set, inDoubt }]) => {
    const value = Number(byId.get(String(id))?.code)
    // each update is conditional on the previous one, so a number occurs twice if an update is lost
    return {
      name: `counter ${id} is ${value} after ${set.length} updates and ${inDoubt} in doubt`,
      isLost: value < Math.max(0, ...set) || repeated(set).length > 0,
      isTooHigh: value > set.length + inDoubt,
    }
  })
  return {
    lost: [
      ...created
        .filter(({ id, title, code }) => byId.get(id)?.title !== title || byId.get(id)?.code !== code)
        .map(({ title }) => `${title}: acknowledged, but not stored`),
      ...withOutcome(deletions, 'done')
        .filter(title => stored.has(title))
        .map(title => `${title}: deletion acknowledged, but still stored`),
      ...counters.filter(({ isLost }) => isLost).map(({ name }) => name),
    ],
    duplicateIds: repeated(created.map(({ id }) => id)),
    unexpected: [
      ...withOutcome(creations, 'unapplied')
        .filter(title => stored.has(title))
        .map(title => `${title}: reported as unapplied, but stored`),
      ...withOutcome(deletions, 'unapplied')
        .filter(title => !stored.has(title))
        .map(title => `${title}: deletion reported as unapplied, but applied`),
      ...counters.filter(({ isTooHigh }) => isTooHigh).map(({ name }) => name),
      ...repeated(titles).map(title => `${title}: stored twice`),
    ],
  }
}

const repeated = <A>(values: readonly A[]): readonly A[] => {
  const seen = new Set<A>()
  return values.filter(value => seen.has(value) || !seen.add(value))
}
