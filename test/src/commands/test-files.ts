import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = fileURLToPath(new URL('..', import.meta.url))

export const isTestFile = (name: string): boolean => name.endsWith('.test.ts')

const isPathEnd = (end: string, path: string): boolean => `/${path}`.endsWith(`/${end}`)

/** The files whose tests need signals, a POSIX shell, links or file modes. */
const needsPosix =
  /^apps\/(?:image|logs\/log-pipes|memory-ceiling|npm-scripts|process|transfer)\.|^readme\/(?:commands|nginx)\.|^memory\/leveldb\/opening\.|\/faults\//

const isLeftOut = (name: string): boolean => process.platform === 'win32' && needsPosix.test(name)

/** Returns the compiled files of the named tests, or of all tests. Lists sources, because dist may hold the output of deleted tests. */
export const testFiles = (named: readonly string[]): readonly string[] =>
  readdirSync(join(dist, '../src'), { recursive: true, encoding: 'utf8' })
    .map(name => name.replaceAll(sep, '/'))
    .filter(
      name =>
        isTestFile(name) &&
        !isLeftOut(name) &&
        (named.length === 0 || named.some(path => isPathEnd(path, name) || isPathEnd(name, path))),
    )
    .map(name => join(dist, name.replace(/ts$/, 'js')))
    .sort()
