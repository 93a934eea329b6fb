import { createHash } from 'node:crypto'
import { rowFailure } from '@snippets/domain/ports/errors.js'
import type { Row, RowResult, RowSource, RowTarget, Snapshot } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isPath } from '../settings/setting-parsers.js'
import { storages } from '../storages/storages.js'
import { openNdjsonSource, rowLine } from './ndjson.js'

type TransferOptions = Readonly<{ from: string; to: string }>

/** Copies all rows to an empty storage, and compares. Returns the number of rows. Left is a message for the operator. */
export const transfer = ({ from, to }: TransferOptions): TE.TaskEither<string, number> => {
  const [source, target] = [openSource(from), openTarget(to)]
  // the source opens first: opening a directory may switch to its owner, who may not be able to read a file
  return using(inSource, source, openedSource =>
    using(inTarget, target, openedTarget => copy(openedSource, openedTarget)),
  )
}

type Label = <A>(task: RowResult<A>) => TE.TaskEither<string, A>

/** Prepends a side to its failures. The address itself may be a URL with a password. */
const labelled = (side: string): Label => TE.mapLeft(({ reason }) => `${side}: ${reason}.`)

const inSource = labelled('source')
const inTarget = labelled('target')

/** Closes the store after its use. A failure of the use hides a failure of the close. */
const using = <S extends RowSource, A>(
  label: Label,
  open: RowResult<S>,
  use: (store: S) => TE.TaskEither<string, A>,
): TE.TaskEither<string, A> =>
  TE.bracket(label(open), use, ({ close }, result) =>
    E.isLeft(result) ? TE.fromTask(async () => void (await close())) : label(close),
  )

const isNdjson = (text: string): boolean => isPath(text) && /\.ndjson$/i.test(text)

const accesses = Object.values(storages).map(({ rowAccess }) => rowAccess)

/** The kinds of addresses that name a storage. */
export const addressKinds = accesses.map(({ addressKind }) => addressKind).join(' or ')

const accessTo = (text: string) => accesses.find(({ isAddress }) => isAddress(text))

const openSource = (text: string): RowResult<RowSource> =>
  isNdjson(text)
    ? openNdjsonSource(text)
    : (accessTo(text)?.openSource(text) ?? TE.left(rowFailure(`is not ${addressKinds} or an .ndjson file`)))

const openTarget = (text: string): RowResult<RowTarget> =>
  (isNdjson(text) ? undefined : accessTo(text)?.openTarget(text)) ?? TE.left(rowFailure(`is not ${addressKinds}`))

const incompleteCopy = 'The copy is incomplete. Drop it if it is a database, then repeat the transfer.'

const copy = (source: RowSource, target: RowTarget): TE.TaskEither<string, number> =>
  pipe(
    inSource(source.snapshot),
    TE.chainFirst(({ lastId }) => inTarget(target.begin(lastId))),
    TE.chain(snapshot =>
      pipe(
        TE.Do,
        TE.bind('copied', () => digest(inSource, snapshot, rows => inTarget(target.add(rows)))),
        TE.bind('reread', () => inTarget(target.snapshot)),
        TE.bind('stored', ({ reread }) => digest(inTarget, reread, () => TE.right(undefined))),
        TE.filterOrElse(
          ({ copied, stored }) => copied.hash === stored.hash,
          () => different,
        ),
        TE.chainFirst(() => inTarget(target.finish)),
        TE.bimap(
          message => `${message} ${incompleteCopy}`,
          ({ copied }) => copied.rows,
        ),
      ),
    ),
  )

const different =
  'The target differs from the source. Did another process write to one of them, or are lines of a file not in order?'

/** Passes every batch on. Returns the number of rows, and a hash of the rows in their order. */
const digest =
  (
    label: Label,
    { lastId, rows }: Snapshot,
    pass: (rows: readonly Row[]) => TE.TaskEither<string, void>,
  ): TE.TaskEither<string, Readonly<{ rows: number; hash: string }>> =>
  async () => {
    const hash = createHash('sha256').update(String(lastId))
    let count = 0
    for await (const batch of rows) {
      const passed = await pipe(label(TE.fromEither(batch)), TE.chainFirst(pass))()
      if (E.isLeft(passed)) return passed
      if (passed.right.some(({ kind, row }) => kind === 'snippet' && row.id > lastId))
        return label(TE.left(rowFailure(`a snippet has an id above ${lastId}, the largest that was assigned`)))()
      for (const row of passed.right) hash.update(rowLine(row))
      count += passed.right.length
    }
    return E.right({ rows: count, hash: hash.digest('hex') })
  }
