import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CopyFailure, copyRows, type RowDigest } from '@snippets/application/copy-rows.js'
import type { Row } from '@snippets/domain/entities/row.js'
import { type RowResult, type RowSource, type RowTarget, rowFailure } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isPath } from '../settings/setting-parsers.js'
import { storages } from '../storages/storages.js'
import { openNdjsonSource, rowLine } from './ndjson.js'

export type TransferOptions = Readonly<{ from: string; to: string }>

/** The rows that the target has taken, and the rows that were read back and compared. */
export type RowCounts = { copied: number; compared: number }

/** Copies all rows to an empty storage, compares and counts them. Left is a message for the operator. */
export const transfer = ({ from, to }: TransferOptions, counts: RowCounts): TE.TaskEither<string, number> =>
  // `copyRows` opens the source first: opening a directory may switch to its owner, who may not be able to read a file
  pipe(
    isSameFolder(from, to)
      ? TE.left<CopyFailure>({ side: 'target', fault: 'is the source too. Name another target', isIncomplete: false })
      : copyRows({ source: openSource(from), target: openTarget(to), digests: digestsCountedIn(counts) }),
    TE.mapLeft(messageOf({ source: from, target: to })),
  )

/**
 * Tells whether both addresses lead to one folder of rows, through another spelling, a link or a mount. LevelDB would
 * open it twice and could destroy it, because its lock works only between processes and on equal paths.
 */
const isSameFolder = (from: string, to: string): boolean => {
  const [source, target] = [from, to].map(statsOf)
  return source !== undefined && source.dev === target?.dev && source.ino === target.ino
}

const statsOf = (address: string) =>
  isPath(address)
    ? E.getOrElseW(() => undefined)(
        E.tryCatch(() => statSync(resolve(address, 'snippets'), { bigint: true }), E.toError),
      )
    : undefined

const isNdjson = (address: string): boolean => isPath(address) && /\.ndjson$/i.test(address)

const accesses = Object.values(storages).map(({ rowAccess }) => rowAccess)

/** The kinds of addresses that name a storage. */
export const addressKinds = accesses.map(({ addressKind }) => addressKind).join(' or ')

const accessTo = (address: string) => accesses.find(({ isAddress }) => isAddress(address))

const openSource = (address: string): RowResult<RowSource> =>
  isNdjson(address)
    ? openNdjsonSource(address)
    : (accessTo(address)?.openSource(address) ?? TE.left(rowFailure(`is not ${addressKinds} or an .ndjson file`)))

const openTarget = (address: string): RowResult<RowTarget> =>
  (isNdjson(address) ? undefined : accessTo(address)?.openTarget(address)) ??
  TE.left(rowFailure(`is not ${addressKinds}`))

const digestsCountedIn = (counts: RowCounts) => {
  const digestCountedAs = (step: keyof RowCounts): RowDigest => {
    const hash = createHash('sha256')
    const add = (row: Row): void => {
      counts[step]++
      hash.update(rowLine(row))
    }
    return { add, result: () => hash.digest('hex') }
  }
  return { copied: digestCountedAs('copied'), compared: digestCountedAs('compared') }
}

/** Returns the path after a space, and nothing for a URL. An address with @ may be a URL without its scheme. */
const pathIn = (address: string): string => (isPath(address) && !address.includes('@') ? ` ${address}` : '')

const incompleteCopy = 'The copy is incomplete. Drop it if it is a database, then repeat the transfer.'

/** Names the side of a failure and its path, but no URL, which may hold a password. */
const messageOf =
  (addresses: Readonly<Record<CopyFailure['side'], string>>) =>
  ({ side, fault, isIncomplete }: CopyFailure): string =>
    `${side}${pathIn(addresses[side])}: ${fault}.${isIncomplete ? ` ${incompleteCopy}` : ''}`
