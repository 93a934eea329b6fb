export type StoredSnippet = Readonly<{ id: bigint; title: string; code: string }>

/**
 * The meaning of an answer for its caller. `rejected` is NotFound or Stale, `unapplied` and `unknown` are the outcomes
 * of Unavailable, and `cut` is an incomplete or missing response of a service.
 */
export type Outcome = 'done' | 'rejected' | 'unapplied' | 'unknown' | 'cut'

export type Ledger = Readonly<ReturnType<typeof openLedger>>

/** Creates a record of the outcome of each write. */
export const openLedger = () => ({
  /** Snippets that were acknowledged as created. */
  created: [] as StoredSnippet[],
  /** Creations with a key that have not succeeded yet, by their serial numbers. */
  repeating: new Set<number>(),
  /** The outcome of each create and delete, by the title of its snippet. Titles are unique. */
  creations: new Map<string, Outcome>(),
  deletions: new Map<string, Outcome>(),
  /** Of the snippet `counter`: the numbers that were acknowledged, and how many updates had an unknown outcome. */
  counts: { set: [] as number[], inDoubt: 0 },
})

/** A snippet whose code is the number of updates. */
export const counter = { title: 'counter', code: '0' } as const

/** Compares the outcomes with the rows at the end. */
export const audit = ({ created, creations, deletions, counts }: Ledger, rows: readonly StoredSnippet[]) => {
  const byId = new Map(rows.map(row => [row.id, row]))
  const titles = rows.map(({ title }) => title)
  const stored = new Set(titles)
  const withOutcome = (outcomes: ReadonlyMap<string, Outcome>, outcome: Outcome) =>
    [...outcomes].flatMap(([title, found]) => (found === outcome ? [title] : []))
  const count = Number(rows.find(({ title }) => title === counter.title)?.code ?? 0)
  const { set, inDoubt } = counts
  const counted = `the counter is ${count} after ${set.length} updates and ${inDoubt} in doubt`
  return {
    /** Acknowledged writes that the database does not show. */
    lost: [
      ...created
        .filter(({ id, title, code }) => byId.get(id)?.title !== title || byId.get(id)?.code !== code)
        // a deletion that finds no snippet proves a loss too
        .filter(({ title }) => (deletions.get(title) ?? 'rejected') === 'rejected')
        .map(({ title }) => `${title}: acknowledged, but not stored`),
      ...withOutcome(deletions, 'done')
        .filter(title => stored.has(title))
        .map(title => `${title}: deletion acknowledged, but still stored`),
      // each update is conditional on the previous one, so a number occurs twice if an update is lost
      ...(count < Math.max(0, ...set) || repeated(set).length > 0 ? [counted] : []),
    ],
    duplicateIds: repeated(created.map(({ id }) => id)),
    /** Writes that were applied twice, or although they were reported as unapplied. */
    unexpected: [
      ...withOutcome(creations, 'unapplied')
        .filter(title => stored.has(title))
        .map(title => `${title}: reported as unapplied, but stored`),
      ...withOutcome(deletions, 'unapplied')
        .filter(title => !stored.has(title))
        .map(title => `${title}: deletion reported as unapplied, but applied`),
      ...(count > set.length + inDoubt ? [counted] : []),
      ...repeated(titles).map(title => `${title}: stored twice`),
    ],
  }
}

const repeated = <A>(values: readonly A[]): readonly A[] => {
  const seen = new Set<A>()
  return values.filter(value => seen.has(value) || !seen.add(value))
}
