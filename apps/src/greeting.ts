import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import type { Service } from './service.js'
import type { Settings } from './settings.js'

const example = JSON.stringify(
  Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].schema.examples[0]])),
)

/** Printed on startup. The curl lines work when pasted into a shell. */
export const greeting = ({ url, adminUrl }: Service, { storage }: Settings): string =>
  [
    `Snippets is listening on ${url}`,
    ...(adminUrl === undefined ? [] : [`Its admin pages are on ${adminUrl}`]),
    storage.kind === 'memory' ? 'Snippets are kept in memory and lost when it stops.' : 'Snippets are kept in MongoDB.',
    '',
    'Create a snippet, then list them all:',
    `  curl ${url}/api/snippets/ -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets/`,
    '',
  ].join('\n')
