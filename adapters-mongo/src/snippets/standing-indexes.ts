import { MongoServerError } from 'mongodb'
import type { Log } from '../log.js'
import type { ListedIndex } from './listed-indexes.js'
import { type Index, textOf, wantedIndexes } from './page-indexes.js'

/** The indexes that pages may name in a hint, as far as this process knows. */
export type StandingIndexes = Readonly<{
  isStanding: (index: Index) => boolean
  /** How many of the wanted indexes pages have to do without. */
  missing: () => number
  found: (listed: readonly ListedIndex[]) => void
  built: (index: Index) => void
  /**
   * Runs a read with the index that was made for it. Without a hint MongoDB tries all candidates against each other, again
   * and again. Until the index is built, MongoDB chooses.
   */
  reading: <A>(index: Index, read: (hint: Hint) => Promise<A>) => Promise<A>
}>

type Hint = Readonly<{ hint?: string }>

export const standingIndexes = (log: Log): StandingIndexes => {
  let names: ReadonlyMap<string, string> = new Map()
  const nameOf = ({ key }: Index): string | undefined => names.get(textOf(key))
  const isStanding = (index: Index): boolean => nameOf(index) !== undefined
  const forget = (name: string): void => {
    const others = [...names].filter(([, other]) => other !== name)
    if (others.length < names.size)
      log.warn({ index: name }, 'an index of pages is gone; the next start builds it again')
    names = new Map(others)
  }
  return {
    isStanding,
    missing: () => wantedIndexes.filter(index => !isStanding(index)).length,
    found: listed => {
      const serving = listed.filter(({ isPlain, isHidden, isUnderBuild }) => isPlain && !isHidden && !isUnderBuild)
      names = new Map(serving.map(({ key, name }) => [key, name]))
    },
    built: ({ key, name }) => {
      names = new Map([...names, [textOf(key), name]])
    },
    reading: (index, read) => readingWith(nameOf(index), read, forget),
  }
}

const readingWith = async <A>(
  hint: string | undefined,
  read: (hint: Hint) => Promise<A>,
  forget: (hint: string) => void,
): Promise<A> => {
  if (hint === undefined) return read({})
  try {
    return await read({ hint })
  } catch (error) {
    if (!isBadHint(error)) throw error
    forget(hint)
    return read({})
  }
}

/** MongoDB answers BadValue when there is no index of this name, or when it is hidden. */
const isBadHint = (error: unknown): boolean => error instanceof MongoServerError && error.code === 2
