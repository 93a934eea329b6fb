import { resolve } from 'node:path'
import { greeting } from '@snippets/apps/greeting.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { unusual } from '@snippets/apps/settings/notices.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { must } from '../support/snippets.js'

const url = 'http://h:1'

const greetingOf = (environment: Environment, adminUrl = none as ReturnType<typeof some<string>>): string =>
  greeting({ url, adminUrl, reload: none, stop: async () => {} }, must(readSettings(environment)))

describe('The greeting', () => {
  it('says where the service listens, what is off, and how to create a snippet', () => {
    expect(greetingOf({})).to.equal(`Snippets is listening on ${url}
Snippets are kept in memory and lost when it stops. Set DATA_DIR to keep them.
Off: tokens (API_TOKENS_FILE), CORS (CORS_ORIGINS), admin pages (ADMIN_PORT).

Create a snippet, then list them all:
  curl ${url}/api/snippets/ -H 'Content-Type: application/json' -d '{"title":"Hello","code":"print(\\"hello\\")","language":"python"}'
  curl ${url}/api/snippets/
`)
  })

  it('names the admin pages and the directory, and shows how to send a token where one is needed', () => {
    const environment = { API_TOKENS_FILE: 'tokens', CORS_ORIGINS: '*', ADMIN_PORT: '0', DATA_DIR: 'data' }
    const text = greetingOf(environment, some('http://h:2'))
    expect(text).to.contain(`
Its admin pages are on http://h:2
Snippets are kept in memory and in ${resolve('data')}.

Create`)
    expect(text.match(/\/ -H 'Authorization: Bearer '"\$TOKEN"/g)).to.have.length(2)
  })

  it('says that MongoDB keeps the snippets', () => {
    expect(greetingOf({ STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' })).to.contain('\nSnippets are kept in MongoDB.\n')
  })
})

const notices: readonly (readonly [Environment, readonly string[]])[] = [
  [{ HOST: '127.0.0.2', ADMIN_PORT: '0', CORS_ORIGINS: 'https://a.example', MEMORY_LIMIT_MB: '1' }, []],
  [{ HOST: 'localhost', ADMIN_PORT: '0', ADMIN_HOST: '::1' }, []],
  [{ HOST: '0.0.0.0' }, ['whoever reaches 0.0.0.0 can read and write: API_TOKENS_FILE is not set']],
  [{ HOST: '0.0.0.0', CORS_ORIGINS: '*', API_TOKENS_FILE: '/tokens' }, []],
  [{ CORS_ORIGINS: '*' }, ['every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set']],
  [
    { ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' },
    ['the admin pages ask for no token, and ADMIN_HOST is not a loopback address'],
  ],
  [{ ADMIN_HOST: '127.0.0.1' }, ['ADMIN_HOST has no effect: ADMIN_PORT is not set']],
  [
    { MEMORY_LIMIT_MB: '1000000' },
    ['MEMORY_LIMIT_MB leaves less than a quarter of the heap for everything else: raise --max-old-space-size'],
  ],
  [
    { MEMORY_LIMIT_MB: '1', STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' },
    ['MEMORY_LIMIT_MB has no effect: STORAGE is mongo'],
  ],
  [{ MONGODB_URL: 'mongodb://h' }, ['MONGODB_URL has no effect: STORAGE is memory']],
  [{ LOG_LEVEL: 'fatal' }, ['almost nothing is logged: LOG_LEVEL is fatal']],
]

describe('What is unusual', () => {
  for (const [environment, expected] of notices)
    it(`is told of ${JSON.stringify(environment)}`, () => {
      expect(unusual(must(readSettings(environment)), environment)).to.deep.equal(expected)
    })
})
