import { exampleContent } from '@snippets/domain/entities/snippet.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Settings } from '../settings/settings.js'
import type { Service } from './service.js'

const example = JSON.stringify(exampleContent)

/** Returns the text that a terminal shows after the start. Its curl lines can be pasted into a shell. */
export const makeGreeting = ({ url, adminUrl }: Service, { API_TOKENS_FILE }: Settings, storedIn: string): string => {
  const token = O.isSome(API_TOKENS_FILE) ? ` -H 'Authorization: Bearer '"$TOKEN"` : ''
  return [
    `Snippets is listening on ${url}`,
    ...(adminUrl === undefined ? [] : [`Its admin endpoints are on ${adminUrl}`]),
    `Snippets are stored in ${storedIn}.`,
    '',
    `${token === '' ? 'Create' : 'With your token in TOKEN, create'} a snippet, then list the snippets:`,
    `  curl ${url}/api/snippets-viewset/${token} -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets-viewset/${token}`,
    '',
  ].join('\n')
}
