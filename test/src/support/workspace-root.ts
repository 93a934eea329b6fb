import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The workspace folder, relative to this file once compiled. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The folders of the packages of the product. */
export const productPackages: readonly string[] = readdirSync(root).filter(
  name => name !== 'test' && existsSync(join(root, name, 'package.json')),
)

export const readFromRoot = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A valid API_TOKENS_FILE without tokens. */
export const noTokensFile = join(root, 'test/src/support/service/no-tokens.txt')
