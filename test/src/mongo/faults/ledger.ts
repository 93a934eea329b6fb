import type { Outcome } from './client.js'

/** A snippet as the database has it. */
export type Row = Readonly<{ _id: bigint; title: string; code: string }>

/** What clients were told of their writes. */
export type Ledger = Readonly<{
  /** What was acknowledged as created. */
  created: { id: string; title: string; code: string }[]
  /** What was told, by the title of the snippet that was to be created or deleted. No title comes twice. */
  creations: Map<string, Outcome>
  deletions: Map<string, Outcome>
  /** By the id of a counter: each number that was acknowledged as set, and how often nothing certain was told. */
  counts: Map<bigint, { set: number[]; inDoubt: number }>
}>

export const openLedger = (): Ledger => ({
  created: [],
  creations: new Map(),
  deletions: new Map(),
  counts: new Map(),
})

export type Audit = Readonly<{
  /** Acknowledged, and not there as acknowledged. */
  lost: readonly string[]
  /** Handed out to two. */
  duplicateIds: readonly string[]
  /** Nothing was to have been written, and yet it was; or it was written twice. */
  unasked: readonly string[]
}>

/** Holds what clients were told against what the database holds when all has come to rest. */
export const audit = ({ created, creations, deletions, counts }: Ledger, rows: readonly Row[]): Audit => {
  const byId = new Map(rows.map(row => [String(row._id), row]))
  const titles = rows.map(({ title }) => title)
  const stored = new Set(titles)
  const told = (fates: ReadonlyMap<string, Outcome>, outcome: Outcome) =>
    [...fates].flatMap(([title, fate]) => (fate === outcome ? [title] : []))
  const counters = [...counts].map(([id, { set, inDoubt }]) => {
    const value = Number(byId.get(String(id))?.code)
    // each step is conditional on the one before, so a lost one would be counted anew
    return {
      name: `counter ${id}`,
      isLost: value < Math.max(0, ...set) || repeated(set).length > 0,
      isOver: value > set.length + inDoubt,
    }
  })
  return {
    lost: [
      ...created
        .filter(({ id, title, code }) => byId.get(id)?.title !== title || byId.get(id)?.code !== code)
        .map(({ title }) => title),
      ...told(deletions, 'done').filter(title => stored.has(title)),
      ...counters.filter(({ isLost }) => isLost).map(({ name }) => name),
    ],
    duplicateIds: repeated(created.map(({ id }) => id)),
    unasked: [
      ...told(creations, 'unapplied').filter(title => stored.has(title)),
      ...told(deletions, 'unapplied').filter(title => !stored.has(title)),
      ...counters.filter(({ isOver }) => isOver).map(({ name }) => name),
      ...repeated(titles),
    ],
  }
}

const repeated = <A>(values: readonly A[]): readonly A[] => values.filter((value, i) => values.indexOf(value) < i)
