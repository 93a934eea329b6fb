import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = fileURLToPath(new URL('..', import.meta.url))

export const isTestFile = (name: string): boolean => name.endsWith('.test.ts')

const isPathEnd = (end: string, path: string): boolean => `/${path}`.endsWith(`/${end}`)

/** Returns the compiled files of the named tests, or of all tests. Lists sources, because dist may hold the output of deleted tests. */
export const testFiles = (named: readonly string[]): readonly string[] =>
  readdirSync(join(dist, '../src'), { recursive: true, encoding: 'utf8' })
    .filter(
      name =>
        isTestFile(name) && (named.length === 0 || named.some(path => isPathEnd(path, name) || isPathEnd(name, path))),
    )
    .map(name => join(dist, name.replace(/ts$/, 'js')))
    .sort()
