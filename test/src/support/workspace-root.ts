import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The workspace folder, relative to this file once compiled. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

export const readFromRoot = (file: string): string => readFileSync(join(root, file), 'utf8')
