import { resolve } from 'node:path'
import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Service } from './service/service.js'
import { featuresOff } from './settings/notices.js'
import type { Settings } from './settings/settings.js'

const example = JSON.stringify(
  Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].schema.examples[0]])),
)

/** Printed on startup. The curl lines work when pasted into a shell. */
export const greeting = ({ url, adminUrl }: Service, settings: Settings): string => {
  const off = featuresOff(settings)
  const token = O.isSome(settings.API_TOKENS_FILE) ? ` -H 'Authorization: Bearer '"$TOKEN"` : ''
  return [
    `Snippets is listening on ${url}`,
    ...(O.isNone(adminUrl) ? [] : [`Its admin pages are on ${adminUrl.value}`]),
    whereKept(settings),
    ...(off.length === 0 ? [] : [`Off: ${off.join(', ')}.`]),
    '',
    'Create a snippet, then list them all:',
    `  curl ${url}/api/snippets/${token} -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets/${token}`,
    '',
  ].join('\n')
}

const whereKept = ({ STORAGE, DATA_DIR }: Settings): string => {
  if (STORAGE === 'mongo') return 'Snippets are kept in MongoDB.'
  return O.isSome(DATA_DIR)
    ? `Snippets are kept in memory and in ${resolve(DATA_DIR.value)}.`
    : 'Snippets are kept in memory and lost when it stops. Set DATA_DIR to keep them.'
}
