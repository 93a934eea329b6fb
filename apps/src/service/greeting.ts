import { exampleContent } from '@snippets/domain/entities/snippet.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import type { Service } from './service.js'

const example = JSON.stringify(exampleContent)

/** Returns the text that a terminal shows after the start. Its curl lines can be pasted into a shell. */
export const makeGreeting = ({ url, adminUrl }: Service, settings: Settings): string => {
  const token = O.isSome(settings.API_TOKENS_FILE) ? ` -H 'Authorization: Bearer '"$TOKEN"` : ''
  return [
    `Snippets is listening on ${url}`,
    ...(adminUrl === undefined ? [] : [`Its admin endpoints are on ${adminUrl}`]),
    `Snippets are stored in ${storages[settings.STORAGE].location(settings)}.`,
    '',
    `${token === '' ? 'Create' : 'With your token in TOKEN, create'} a snippet, then list the snippets:`,
    `  curl ${url}/api/snippets-viewset/${token} -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets-viewset/${token}`,
    '',
  ].join('\n')
}
