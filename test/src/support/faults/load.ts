import type { Ledger, Outcome, StoredSnippet } from './ledger.js'

type Reply<S> = Readonly<{ outcome: Outcome; snippet?: S | undefined }>

/** The operations of a storage or of a service that the load calls. `S` also tells the revision of a snippet. */
export type Target<S extends StoredSnippet> = Readonly<{
  create: (title: string, code: string) => Promise<Reply<S>>
  createOnce: (title: string, code: string, key: string) => Promise<Reply<S>>
  read: (id: bigint) => Promise<Reply<S>>
  /** Sets the code of a snippet, if it is unchanged. */
  update: (unchanged: S, code: string) => Promise<Reply<S>>
  delete: (id: bigint) => Promise<Reply<S>>
}>

/** Makes one call. Undefined if a call is not possible yet. */
export type Step = () => Promise<Outcome | undefined>

export const writes = ['create', 'createOnce', 'update', 'delete'] as const
export type Write = (typeof writes)[number]

/** Returns the steps of one caller. Several callers may share a ledger. */
export const writeSteps = <S extends StoredSnippet>(
  target: Target<S>,
  { created, repeating, creations, deletions, counts }: Ledger,
  counterId: bigint,
): Readonly<Record<Write, Step>> => {
  const nameOf = (serial: number) => ({ title: `created ${serial}`, code: `code ${serial}` })
  let seen: S | undefined
  return {
    create: async () => {
      const { title, code } = nameOf(creations.size)
      creations.set(title, 'unknown')
      const { outcome, snippet } = await target.create(title, code)
      creations.set(title, outcome)
      if (snippet !== undefined) created.push(snippet)
      return outcome
    },
    /** Repeats a creation until it has succeeded, even if another caller began it. */
    createOnce: async () => {
      const [serial = creations.size] = repeating
      repeating.delete(serial)
      const { title, code } = nameOf(serial)
      creations.set(title, 'unknown')
      const { outcome, snippet } = await target.createOnce(title, code, `key-${serial}`)
      // a retry that wrote nothing does not tell the outcome of the attempt before it
      if (snippet === undefined) repeating.add(serial)
      else {
        creations.set(title, outcome)
        created.push(snippet)
      }
      return outcome
    },
    /** Adds 1 to the counter. Reads it before that if its number is not known for certain. */
    update: async () => {
      if (seen === undefined) {
        const read = await target.read(counterId)
        seen = read.snippet
        return read.outcome
      }
      const next = Number(seen.code) + 1
      const { outcome, snippet } = await target.update(seen, String(next))
      if (outcome === 'done') counts.set.push(next)
      if (outcome === 'unknown' || outcome === 'cut') counts.inDoubt++
      if (outcome !== 'unapplied') seen = snippet
      return outcome
    },
    delete: async () => {
      const row = created[deletions.size]
      if (row === undefined) return undefined
      deletions.set(row.title, 'unknown')
      const { outcome } = await target.delete(row.id)
      deletions.set(row.title, outcome)
      return outcome
    },
  }
}
