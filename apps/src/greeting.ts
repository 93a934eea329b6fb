import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import type { Service } from './service.js'
import { off } from './settings/notices.js'
import type { Settings } from './settings/settings.js'

const example = JSON.stringify(
  Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].schema.examples[0]])),
)

/** Printed on startup. The curl lines work when pasted into a shell. */
export const greeting = ({ url, adminUrl }: Service, settings: Settings): string => {
  const { storage, workers } = settings
  const token = settings.tokensFile._tag === 'Some' ? ` -H 'Authorization: Bearer '"$TOKEN"` : ''
  return [
    `Snippets is listening on ${url}${workers > 1 ? ` with ${workers} workers` : ''}`,
    ...(adminUrl === undefined ? [] : [`Its admin pages are on ${adminUrl}`]),
    storage.kind === 'memory' ? 'Snippets are kept in memory and lost when it stops.' : 'Snippets are kept in MongoDB.',
    ...(off(settings).length === 0 ? [] : [`Off: ${off(settings).join(', ')}.`]),
    '',
    'Create a snippet, then list them all:',
    `  curl ${url}/api/snippets/${token} -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets/${token}`,
    '',
  ].join('\n')
}
