import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { hashToken } from '@snippets/adapters-http/middleware/tokens.js'
import { startInProcess } from '../support/service/in-process.js'
import { root } from '../support/workspace-root.js'

/**
 * A folder for each release, with the data that its service wrote and a list of checksums.
 * `npm run fixtures` writes the folder of this version.
 */
export const fixtures = join(root, 'test/fixtures')

export const releases: readonly string[] = readdirSync(fixtures).filter(name => /^\d/.test(name))

type FixtureName = 'data-dir' | 'backup.ndjson' | 'tokens.txt' | `${string}.json` | 'SHA256SUMS'

export const fixture = (release: string, name: FixtureName): string => join(fixtures, release, name)

/** Returns a line for each file of a release, which `sha256sum --check` reads. */
export const checksumsOf = (release: string): string =>
  readdirSync(join(fixtures, release), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
      return `${hash}  ${file.slice(join(fixtures, release, sep).length).replaceAll(sep, '/')}\n`
    })
    .sort()
    .join('')

/** Returns the OpenAPI document of a service with tokens, which describes more than one without. */
export const openApiText = async (): Promise<string> => {
  const { url, stop } = await startInProcess({ tokens: [{ name: 'ada', scope: 'read', hash: hashToken('of-ada') }] })
  const response = await fetch(`${url}/api/schema/`, { headers: { Authorization: 'Bearer of-ada' } })
  const text = await response.text()
  await stop()
  return text.replaceAll(url, 'http://127.0.0.1:8000')
}
