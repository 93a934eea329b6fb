import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken } from '@snippets/adapters-http/middleware/token.js'
import { startInProcess } from '../support/service/in-process.js'
import { root } from '../support/workspace-root.js'

/**
 * A folder for each release, with the data that its service wrote. `npm run fixtures` writes the folder of this
 * version.
 */
export const fixtures = join(root, 'test/fixtures')

export const releases: readonly string[] = readdirSync(fixtures).filter(name => /^\d/.test(name))

type FixtureName = 'data-dir' | 'backup.ndjson' | 'tokens.txt' | 'mongodb.json' | 'openapi.json'

export const fixture = (release: string, name: FixtureName): string => join(fixtures, release, name)

/** Returns the OpenAPI document of a service with tokens, which describes more than one without. */
export const openApiText = async (): Promise<string> => {
  const { url, stop } = await startInProcess({ tokens: [{ name: 'ada', scope: 'read', hash: hashToken('of-ada') }] })
  const response = await fetch(`${url}/api/schema/`, { headers: { Authorization: 'Bearer of-ada' } })
  const text = await response.text()
  await stop()
  return text.replaceAll(url, 'http://127.0.0.1:8000')
}
