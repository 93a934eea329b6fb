import type { Row } from '@snippets/domain/entities/row.js'
import type { RowFailure, RowResult, RowSource, RowTarget, Snapshot } from '@snippets/domain/ports/row-store.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Why a copy failed, and on which side. `isIncomplete`: the target may hold a part of the rows. */
export type CopyFailure = Readonly<{ side: 'source' | 'target'; fault: string; isIncomplete: boolean }>

/** Takes rows. Two digests with the same result have taken the same rows in the same order. */
export type RowDigest = Readonly<{ add: (row: Row) => void; result: () => string }>

type Ports = Readonly<{
  source: RowResult<RowSource>
  target: RowResult<RowTarget>
  /** New digests: one of the copied rows, and one of the rows in the copy. */
  digests: Readonly<Record<'copied' | 'compared', RowDigest>>
}>

/**
 * Copies all rows to an empty storage, reads them back and compares. Opens the target once the source can be read.
 * Returns the number of rows.
 */
export const copyRows = ({ source, target, digests }: Ports): TE.TaskEither<CopyFailure, number> =>
  using(inSource, source, openedSource =>
    pipe(
      inSource(openedSource.snapshot),
      TE.chain(snapshot =>
        using(inTarget, target, openedTarget =>
          pipe(
            inTarget(openedTarget.begin(snapshot.lastId)),
            TE.chain(() => fill(snapshot, openedTarget, digests)),
          ),
        ),
      ),
    ),
  )

type InSide = <A>(result: RowResult<A>) => TE.TaskEither<CopyFailure, A>

const inSide = (side: CopyFailure['side']): InSide =>
  TE.mapLeft(({ fault }: RowFailure): CopyFailure => ({ side, fault, isIncomplete: false }))

const inSource = inSide('source')
const inTarget = inSide('target')

/** Closes the store after its use. A failure of the use hides a failure of the close. */
const using = <S extends RowSource, A>(
  within: InSide,
  open: RowResult<S>,
  use: (store: S) => TE.TaskEither<CopyFailure, A>,
): TE.TaskEither<CopyFailure, A> =>
  TE.bracket(within(open), use, ({ close }, result) =>
    E.isLeft(result) ? TE.fromTask(async () => void (await close())) : within(close),
  )

/** Adds the rows to the target, reads them back and compares. */
const fill = (snapshot: Snapshot, target: RowTarget, digests: Ports['digests']): TE.TaskEither<CopyFailure, number> =>
  pipe(
    TE.Do,
    TE.bind('copied', () => readRows(inSource, snapshot, digests.copied, rows => inTarget(target.add(rows)))),
    TE.bind('reread', () => inTarget(target.snapshot)),
    TE.bind('stored', ({ reread }) => readRows(inTarget, reread, digests.compared, () => TE.right(undefined))),
    TE.chainFirst(({ copied, reread, stored }) =>
      reread.lastId === snapshot.lastId && stored.digest === copied.digest
        ? inTarget(target.finish)
        : inTarget(TE.left(different)),
    ),
    TE.bimap(
      failure => ({ ...failure, isIncomplete: true }),
      ({ copied }) => copied.count,
    ),
  )

const different = rowFailure(
  'differs from the source. Check that no other process writes to one of them, and that the lines of a file are in order',
)

/** Reads a snapshot, and passes each batch to `pass`. Returns the number of rows and their digest. */
const readRows =
  (
    within: InSide,
    { lastId, rows }: Snapshot,
    digest: RowDigest,
    pass: (rows: readonly Row[]) => TE.TaskEither<CopyFailure, void>,
  ): TE.TaskEither<CopyFailure, Readonly<{ count: number; digest: string }>> =>
  async () => {
    let count = 0
    for await (const batch of rows) {
      const passed = await pipe(within(TE.fromEither(batch)), TE.chainFirst(pass))()
      if (E.isLeft(passed)) return passed
      for (const row of passed.right) {
        if (row.kind !== 'user' && row.entity.id > lastId)
          return within(TE.left(rowFailure(`a ${row.kind} has an id above ${lastId}, the largest that was assigned`)))()
        digest.add(row)
      }
      count += passed.right.length
    }
    return E.right({ count, digest: digest.result() })
  }
