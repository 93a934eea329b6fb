import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = fileURLToPath(new URL('..', import.meta.url))

export const isTestFile = (name: string): boolean => name.endsWith('.test.ts')

/** The compiled tests that are named, or else all. Listed by source, since the output of a deleted test stays in dist. */
export const testFiles = (named: readonly string[]): readonly string[] =>
  readdirSync(join(dist, '../src'), { recursive: true, encoding: 'utf8' })
    .filter(name => isTestFile(name) && (named.length === 0 || named.some(path => path.endsWith(name))))
    .map(name => join(dist, name.replace(/ts$/, 'js')))
    .sort()
