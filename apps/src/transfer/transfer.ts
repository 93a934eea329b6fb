import type { Outcome, Row, RowTarget } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { hideCredentials } from '../hide-credentials.js'
import { amount } from './amount.js'
import { type Checked, checksum, checksumOf } from './checksum.js'
import { isAlwaysNew, nameOf, openSource, openTarget, type Source } from './ends.js'
import type { TransferOptions } from './options.js'
import type { Progress } from './progress.js'
import { rowLine } from './row-lines.js'

type Open = Readonly<{ source: typeof openSource; target: typeof openTarget }>

/** Carries everything over and checks it. Left is a sentence for the operator. */
export const transfer = async (
  options: TransferOptions,
  progress: Progress,
  open: Open = { source: openSource, target: openTarget },
): Outcome<Checked> => {
  const [from, to] = [nameOf(options.from, 'standard input'), nameOf(options.to, 'standard output')]
  const source = await about(from, open.source(options.from))
  if (E.isLeft(source)) return source
  const merge = options.merge && !isAlwaysNew(options.to)
  try {
    const summary = await about(from, source.right.source.summary())
    if (E.isLeft(summary)) return summary
    const target = await about(to, open.target(options.to, summary.right.snippets))
    if (E.isLeft(target)) return target
    try {
      progress.begin('copying', summary.right.snippets)
      const ends = { ...source.right, target: target.right, from, to }
      return await carryOver({ ...ends, options: { ...options, merge }, progress }, summary.right.lastId)
    } finally {
      await target.right.close()
    }
  } finally {
    await source.right.source.close()
  }
}

type Run = Source &
  Readonly<{ target: RowTarget; options: TransferOptions; progress: Progress; from: string; to: string }>

/** Makes a whole sentence of a failure. */
const about = async <A>(name: string, outcome: Outcome<A>): Outcome<A> => {
  const result = await outcome
  return E.isLeft(result) ? E.left(`${name} ${hideCredentials(result.left)}.`) : result
}

const carryOver = async (run: Run, lastId: bigint): Outcome<Checked> => {
  const { target, to, options } = run
  const before = await about(to, target.summary())
  if (E.isLeft(before)) return before
  if (!before.right.isEmpty && !options.merge)
    return E.left(`${to} is not empty. Name an empty one, or add --merge to add what it does not have.`)
  // first, so that a service that runs on the target assigns none of the ids that come
  const raised = await about(to, target.raiseLastId(lastId))
  if (E.isLeft(raised)) return raised
  const copied = await copy(run)
  if (E.isLeft(copied)) return copied
  const finished = await about(to, target.finish())
  return E.isLeft(finished) ? finished : check(run, copied.right)
}

const copy = async (run: Run): Outcome<Checked> => {
  const { source, target, options, progress, from, to } = run
  const sum = checksum()
  let largest = 0n
  for await (const rows of source.rows()) {
    if (E.isLeft(rows)) return about(from, Promise.resolve(rows))
    const missing = options.merge ? await missingOf(rows.right, run) : E.right(rows.right)
    if (E.isLeft(missing)) return missing
    const inserted = await about(
      to,
      missing.right.length > 0 ? target.insert(missing.right) : Promise.resolve(E.right(undefined)),
    )
    if (E.isLeft(inserted)) return inserted
    sum.add(rows.right)
    for (const { kind, row } of rows.right) if (kind === 'snippet') largest = row.id
    progress.add(rows.right.length)
  }
  const raised = await about(to, target.raiseLastId(largest))
  return E.isLeft(raised) ? raised : E.right(sum.result())
}

const nameOfRow = ({ kind, row }: Row): string => `${kind} ${row.id}`

/** The rows that the target does not have. Left when it has one of them with another content. */
const missingOf = async (rows: readonly Row[], { target, to, from }: Run): Outcome<readonly Row[]> => {
  const found = await about(to, target.find(rows))
  if (E.isLeft(found)) return found
  const lines = new Map(found.right.map(row => [nameOfRow(row), rowLine(row)]))
  const different = rows.find(row => (lines.get(nameOfRow(row)) ?? rowLine(row)) !== rowLine(row))
  return different === undefined
    ? E.right(rows.filter(row => !lines.has(nameOfRow(row))))
    : E.left(`${nameOfRow(different)} differs between ${from} and ${to}. Nothing was overwritten.`)
}

/** Reads both sides again. What cannot be read again is taken as it was read. */
const check = async (run: Run, copied: Checked): Outcome<Checked> => {
  const { source, target, isRepeatable, options, progress, from, to } = run
  if (options.to === '-') return E.right(copied)
  progress.begin('checking', copied.count * (isRepeatable ? 2 : 1))
  const theirs = isRepeatable ? await about(from, checksumOf(source, progress.add)) : E.right(copied)
  if (E.isLeft(theirs)) return theirs
  if (options.merge) return checkMerged(run, theirs.right)
  const ours = await about(to, checksumOf(target, progress.add))
  if (E.isLeft(ours)) return ours
  const isSame = ours.right.count === theirs.right.count && ours.right.checksum === theirs.right.checksum
  return isSame
    ? ours
    : E.left(
        `${to} does not agree with ${from}: ${amount(ours.right.count, 'row')} and ${amount(theirs.right.count, 'row')}. Was one of them written to meanwhile? Stop that, and run it again with --merge.`,
      )
}

/** The target may have more than the source. */
const checkMerged = async (run: Run, theirs: Checked): Outcome<Checked> => {
  const { source, isRepeatable, progress, from, to } = run
  if (!isRepeatable) return E.right(theirs)
  for await (const rows of source.rows()) {
    if (E.isLeft(rows)) return about(from, Promise.resolve(rows))
    const missing = await missingOf(rows.right, run)
    if (E.isLeft(missing)) return missing
    const [first] = missing.right
    if (first !== undefined)
      return E.left(`${to} has lost ${nameOfRow(first)}. Was it written to meanwhile? Run it again.`)
    progress.add(rows.right.length)
  }
  return E.right(theirs)
}
