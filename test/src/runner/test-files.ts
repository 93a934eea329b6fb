import { readdirSync } from 'node:fs'
import { join, normalize, sep } from 'node:path'
import { root } from '../support/workspace-root.js'

export const dist = join(root, 'test/dist')

/** Returns whether an argument names tests. All other arguments are mocha's. */
export const isTestPath = (argument: string): boolean => /\.test\.ts$|^test\/src\b/.test(withSlashes(argument))

const withSlashes = (path: string): string => normalize(path).replaceAll(sep, '/')

/** Tests of kills and outages, and of files named so, need signals, a POSIX shell, links or file modes. */
const isLeftOut = (name: string): boolean => process.platform === 'win32' && /\/faults\/|\.posix\./.test(name)

/** Returns the compiled files of what is named, or of all tests. Lists sources, as dist may hold deleted tests. */
export const testFilesIn = (named: readonly string[]): readonly string[] => {
  const paths = named.map(path => withSlashes(path).replace(/\/$/, ''))
  return readdirSync(join(root, 'test/src'), { recursive: true, encoding: 'utf8' })
    .map(name => withSlashes(name))
    .filter(name => name.endsWith('.test.ts') && !isLeftOut(name))
    .filter(name => paths.length === 0 || paths.some(path => isAt(path, `/test/src/${name}`)))
    .map(name => join(dist, name.replace(/ts$/, 'js')))
    .sort()
}

/** A file may be named from any of its folders, a folder from the root only. */
const isAt = (path: string, file: string): boolean => file.endsWith(`/${path}`) || file.startsWith(`/${path}/`)
