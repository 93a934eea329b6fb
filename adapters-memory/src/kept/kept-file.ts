import * as E from 'fp-ts/lib/Either.js'
import type { Head } from './head.js'
import { openRowFile, type RowChange, type RowFile, type RowFileOptions } from './row-file.js'

export type WriteFailure = Readonly<{ outcome: 'unapplied' | 'unknown'; cause: unknown }>

/** A row file that goes on after failures of the disk. */
export type KeptFile = Readonly<{
  /** Left when the group is not, or perhaps not, on the disk. Then `reopen` has to succeed before the next write. */
  write: (changes: readonly RowChange[], head: Head) => Promise<E.Either<WriteFailure, void>>
  /** Opens the directory anew, and returns its head, which tells whether the failed group is in it. */
  reopen: () => Promise<E.Either<unknown, Head>>
  close: () => Promise<void>
}>

type Open = (options: RowFileOptions) => Promise<E.Either<string, RowFile>>

/**
 * After a failed write LevelDB's log may end in half a record, and what it would append to that could not be read back.
 * Opening the directory anew recovers the log and starts a new one.
 */
export const keptFile = (opened: RowFile, options: RowFileOptions, open: Open = openRowFile): KeptFile => {
  let file: RowFile | undefined = opened
  const close = async (): Promise<void> => {
    await file?.close()
    file = undefined
  }
  return {
    write: (changes, head) => (file === undefined ? Promise.resolve(notOpen) : writeThrough(file, changes, head)),
    reopen: async () => {
      try {
        await close()
        const again = await open({ ...options, create: false })
        if (E.isLeft(again)) return E.left(new Error(`the directory ${again.left}`))
        file = again.right
        const head = await file.readHead()
        return E.isLeft(head) ? E.left(new Error(`the directory ${head.left}`)) : head
      } catch (cause) {
        return E.left(cause)
      }
    },
    close,
  }
}

const notOpen = E.left({ outcome: 'unapplied', cause: new Error('the directory is not open') } as const)

/** In two steps, so that a disk that is full shows in the first one, where it is certain that nothing was written. */
const writeThrough = async (
  file: RowFile,
  changes: readonly RowChange[],
  head: Head,
): Promise<E.Either<WriteFailure, void>> => {
  let outcome: WriteFailure['outcome'] = 'unapplied'
  try {
    await file.write(changes, head)
    outcome = 'unknown'
    await file.sync(head)
    return E.right(undefined)
  } catch (cause) {
    return E.left({ outcome, cause })
  }
}
