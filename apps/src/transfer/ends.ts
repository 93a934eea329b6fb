import { createReadStream, createWriteStream, existsSync, type Stats, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import type { Outcome, RowSource, RowTarget } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { hideCredentials } from '../hide-credentials.js'
import { mongoUrl } from '../settings/setting-texts.js'
import { lineSource } from './line-source.js'
import { type LineOutput, lineTarget } from './line-target.js'

type End = 'mongo' | 'standard' | 'file' | 'directory'

/** A path that does not exist yet is a file when its name says so. */
const kindOf = (text: string): End => {
  if (/^mongodb(\+srv)?:/i.test(text)) return 'mongo'
  if (text === '-') return 'standard'
  const stats = statsOf(text)
  return (stats === undefined ? /\.(ndjson|jsonl)$/i.test(text) : !stats.isDirectory()) ? 'file' : 'directory'
}

/** Undefined also for a path that cannot be looked up: whoever opens it says why. */
const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** As it may be shown. `standard` is what `-` means. */
export const nameOf = (text: string, standard: 'standard input' | 'standard output'): string =>
  text === '-' ? standard : hideCredentials(text)

/** Lines go to standard output or to a new file, where there is nothing to merge with. */
export const isAlwaysNew = (text: string): boolean => ['standard', 'file'].includes(kindOf(text))

export type Source = Readonly<{ source: RowSource; isRepeatable: boolean }>

export const openSource = async (text: string): Outcome<Source> => {
  const kind = kindOf(text)
  if (kind === 'standard') return E.right({ source: lineSource(onceOnly(process.stdin)), isRepeatable: false })
  if (kind === 'file')
    return existsSync(text)
      ? E.right({ source: lineSource(() => createReadStream(text)), isRepeatable: true })
      : E.left('does not exist')
  const opened = kind === 'mongo' ? await openDatabase(text) : noDirectory
  return E.isLeft(opened) ? opened : E.right({ source: opened.right, isRepeatable: true })
}

/** `snippets` is how many will come, if that is known. */
export const openTarget = async (text: string, snippets: number | undefined): Outcome<RowTarget> => {
  switch (kindOf(text)) {
    case 'mongo':
      return openDatabase(text)
    case 'directory':
      return noDirectory
    case 'standard':
      return E.right(lineTarget(standardOutput(), snippets))
    case 'file':
      return existsSync(text)
        ? E.left('exists already. Name a new file')
        : E.right(lineTarget(fileOutput(text), snippets))
  }
}

const openDatabase = async (url: string): Outcome<RowTarget> =>
  E.isLeft(mongoUrl(url)) ? E.left('is not a mongodb:// URL that names a host') : openMongoRows(url)

const noDirectory = E.left('is a directory, which cannot be transferred')

/** The head is read first, then everything: the first reader leaves the rest to the second. */
const onceOnly = (stream: AsyncIterable<Uint8Array>): (() => AsyncIterable<Uint8Array>) => {
  const iterator = stream[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let readers = 0
  return async function* () {
    const isFirst = readers++ === 0
    if (!isFirst) yield* seen.splice(0)
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (isFirst) seen.push(next.value)
      yield next.value
    }
  }
}

const standardOutput = (): LineOutput => ({
  stream: process.stdout,
  complete: () =>
    new Promise((resolve, reject) => process.stdout.write('', error => (error ? reject(error) : resolve()))),
  abandon: async () => {},
  // nobody asks for it
  read: () => process.stdin,
})

/** Written beside its place, and put there when it is complete. */
const fileOutput = (path: string): LineOutput => {
  const unfinished = `${path}.unfinished`
  const stream = createWriteStream(unfinished, { mode: 0o600 })
  return {
    stream,
    complete: async () => {
      stream.end()
      await finished(stream)
      const file = await open(unfinished, 'r+')
      await file.sync()
      await file.close()
      await rename(unfinished, path)
    },
    abandon: async () => {
      stream.destroy()
      // what fails here has failed before, and was reported
      await rm(unfinished, { force: true }).catch(() => {})
    },
    read: () => createReadStream(path),
  }
}
