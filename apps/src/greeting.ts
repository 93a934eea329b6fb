import type { Service } from './service.js'
import type { Settings } from './settings.js'

const example = JSON.stringify({ title: 'Greeting', code: 'print("hello")', language: 'python' })

/** What whoever started it reads first. The lines with curl are there to be pasted. */
export const greeting = ({ url, adminUrl }: Service, { storage }: Settings): string =>
  [
    `Snippets is listening on ${url}`,
    ...(adminUrl === undefined ? [] : [`Its admin pages are on ${adminUrl}`]),
    storage.kind === 'memory'
      ? 'It keeps snippets in memory: they are gone when it stops.'
      : 'It keeps snippets in MongoDB.',
    '',
    'Create a snippet, then list all:',
    `  curl ${url}/api/snippets/ -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets/`,
    '',
  ].join('\n')
