import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings, type Settings, settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { anId, must } from '../support/snippets.js'
import { root } from '../support/workspace-root.js'

const faultsOf = (environment: Environment): readonly string[] => {
  const settings = readSettings(environment)
  return isLeft(settings) ? settings.left : []
}

const names = (...usernames: readonly string[]) =>
  usernames.map((username, position) => ({ id: anId(BigInt(position + 1)), username }))

const longest = '😀'.repeat(150)
const mongo = { STORAGE: 'mongo', MONGODB_URL: 'mongodb+srv://u:p%40@h/db?w=majority' } as const

const good: readonly [Environment, Partial<Settings>][] = [
  [{ HOST: '', PORT: '', USERS: '', ADMIN_PORT: '', DATA_DIR: '' }, {}],
  [{ PATH: '/bin', USER: 'x', HOSTNAME: 'x', LOGNAME: 'x', PORTAL: 'x', USERNAME: 'x', npm_config_loglevel: 'x' }, {}],
  [{ MONGODB_PORT: 'x', DATABASE_URL: 'x', HTTP_PORT: 'x', NODE_LOG_LEVEL: 'x', MONGODB_HOST: 'x', HOME: 'x' }, {}],
  [{ SNIPPETS_PORT: 'tcp://10.0.0.1:80', SNIPPETS_SERVICE_HOST: 'x', K_SERVICE: 'x', LISTEN_FDS: 'x' }, {}],
  [{ PORT: '80', PROT: 'x', Port: 'x' }, { PORT: 80 }],
  [{ HOST: '::1' }, { HOST: '::1' }],
  [{ PORT: '0' }, { PORT: 0 }],
  [{ PORT: '65535' }, { PORT: 65_535 }],
  [{ MONGODB_URL: 'not looked at' }, { MONGODB_URL: 'not looked at' }],
  [mongo, mongo],
  [{ DATA_DIR: './data' }, { DATA_DIR: some('./data') }],
  [{ MEMORY_LIMIT_MB: '64' }, { MEMORY_LIMIT_MB: some(64) }],
  [{ USERS: ' ada ,grace hopper,Ada' }, { USERS: names('ada', 'grace hopper', 'Ada') }],
  [{ USERS: longest }, { USERS: names(longest) }],
  [{ PUBLIC_URL: 'https://snippets.example' }, { PUBLIC_URL: some('https://snippets.example') }],
  [{ PUBLIC_URL: 'http://h:81/a//b///' }, { PUBLIC_URL: some('http://h:81/a//b') }],
  [{ LOG_LEVEL: 'silent' }, { LOG_LEVEL: 'silent' }],
  [{ ACCESS_LOG: 'off' }, { ACCESS_LOG: 'off' }],
  [
    { ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' },
    { ADMIN_PORT: some(0), ADMIN_HOST: '0.0.0.0' },
  ],
  [
    { PORT: '0', ADMIN_PORT: '0' },
    { PORT: 0, ADMIN_PORT: some(0) },
  ],
  [{ API_TOKENS_FILE: '/run/tokens' }, { API_TOKENS_FILE: some('/run/tokens') }],
  [{ CORS_ORIGINS: 'https://a.example, http://b:8080' }, { CORS_ORIGINS: ['https://a.example', 'http://b:8080'] }],
  [{ CORS_ORIGINS: '*' }, { CORS_ORIGINS: ['*'] }],
  [{ SHUTDOWN_GRACE_MS: '0' }, { SHUTDOWN_GRACE_MS: 0 }],
]

const port = 'it must be a whole number from 0 to 65535'
const host = 'it must be a host name or an IP address, without a port'
const url = 'PUBLIC_URL must be an absolute http:// or https:// URL without user name, password, query and fragment'
const noMongo = 'MONGODB_URL must be a mongodb:// or mongodb+srv:// URL that names a host, because STORAGE is mongo'
const noOrigin = 'an origin is like https://example.org, or * for all'

const bad: readonly [Environment, string][] = [
  [{ HOST: 'localhost:80/x' }, `HOST is "localhost:80/x"; ${host}`],
  ...['65536', '-1', '080', '8e3'].map((PORT): [Environment, string] => [{ PORT }, `PORT is "${PORT}"; ${port}`]),
  [{ PORT: '80\n' }, `PORT is "80\\n"; ${port}`],
  [{ PORT: 'x'.repeat(1000) }, `PORT is "${'x'.repeat(60)}..."; ${port}`],
  [{ STORAGE: 'mongodb://u:s3cret@h/x' }, 'STORAGE is "mongodb://***@h/x"; it must be one of memory, mongo'],
  [{ HOST: `u:${'s3cret'.repeat(20)}@h` }, `HOST is "***@h"; ${host}`],
  [{ STORAGE: 'mongo' }, noMongo],
  [{ STORAGE: 'mongo', MONGODB_URL: 'http://u:hush@h' }, noMongo],
  [{ STORAGE: 'mongo', MONGODB_URL: 'mongodb:///db' }, noMongo],
  [{ DATA_DIR: ' ' }, 'DATA_DIR is " "; it must be the path of a directory'],
  [{ DATA_DIR: 'a\0b' }, 'DATA_DIR is "a\\u0000b"; it must be the path of a directory'],
  [
    { ...mongo, DATA_DIR: './data' },
    'DATA_DIR is set, but STORAGE is mongo, and one of them has to keep the snippets. Set only one',
  ],
  [{ MEMORY_LIMIT_MB: '0' }, 'MEMORY_LIMIT_MB is "0"; it must be a whole number from 1 to 1000000'],
  [{ USERS: 'ada,' }, 'USERS is "ada,"; it must be usernames separated by commas'],
  [{ USERS: 'ada,grace, ada' }, 'USERS names "ada" twice; it must name each user once'],
  [{ USERS: `${longest}x` }, `USERS names "${'😀'.repeat(30)}..."; a username must have 1 to 150 characters`],
  ...['snippets.example', 'ftp://h', 'http://', 'http://h/?', 'http://h/#a', 'http://a"b', 'http://u:hush@h/'].map(
    (PUBLIC_URL): [Environment, string] => [{ PUBLIC_URL }, url],
  ),
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL is "INFO"; it must be one of fatal, error, warn, info, debug, trace, silent'],
  [{ ACCESS_LOG: 'sampled' }, 'ACCESS_LOG is "sampled"; it must be one of all, off'],
  [{ ADMIN_PORT: 'off' }, `ADMIN_PORT is "off"; ${port}`],
  [{ ADMIN_PORT: '8000' }, 'ADMIN_PORT is "8000", and so is PORT. Set it to another one'],
  ...['https://*.a', 'ftp://a', 'null', 'https://a/', 'https://a:443', 'https://A'].map(
    (origin): [Environment, string] => [
      { CORS_ORIGINS: `https://b.example,${origin}` },
      `CORS_ORIGINS names "${origin}"; ${noOrigin}`,
    ],
  ),
  [
    { CORS_ORIGINS: '*,https://a.example' },
    'CORS_ORIGINS names * beside other origins; it must be * alone, or a list without it',
  ],
  ...[
    ['PORRT', 'PORT'],
    ['port', 'PORT'],
    ['DATADIR', 'DATA_DIR'],
    ['MONGO_URL', 'MONGODB_URL'],
    ['MONGODB_URI', 'MONGODB_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['API_TOKEN_FILE', 'API_TOKENS_FILE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ].map(([name = '', meant = '']): [Environment, string] => [
    { [name]: 'mongodb://u:hush@h' },
    `${name} is not a setting; did you mean ${meant}?`,
  ]),
  [{ PORT: '', PORRT: '80' }, 'PORRT is not a setting; did you mean PORT?'],
  [{ npm_config_port: '80' }, 'PORT cannot be given as an option; set it before: PORT=... npm start'],
  [{ DRAIN_DELAY_MS: '-1' }, 'DRAIN_DELAY_MS is "-1"; it must be a whole number from 0 to 3600000'],
  [{ MAX_BODY_BYTES: '100' }, 'MAX_BODY_BYTES is "100"; it must be a whole number from 131072 to 16777216'],
]

const shown = (environment: Environment): string => JSON.stringify(environment).slice(0, 80)

describe('The settings', () => {
  const defaults = must(readSettings({}))

  it('have defaults', () => {
    const { HOST, PORT, STORAGE, USERS, PUBLIC_URL, ADMIN_PORT, SHUTDOWN_GRACE_MS } = defaults
    expect({ HOST, PORT, STORAGE, USERS, PUBLIC_URL, ADMIN_PORT, SHUTDOWN_GRACE_MS }).to.deep.equal({
      HOST: '127.0.0.1',
      PORT: 8000,
      STORAGE: 'memory',
      USERS: [],
      PUBLIC_URL: none,
      ADMIN_PORT: none,
      SHUTDOWN_GRACE_MS: 10_000,
    })
  })

  for (const [environment, expected] of good)
    it(`accept ${shown(environment)}`, () => {
      expect(must(readSettings(environment))).to.deep.include({ ...defaults, ...expected })
    })

  for (const [environment, fault] of bad)
    it(`refuse ${shown(environment)}`, () => {
      expect(faultsOf(environment)).to.deep.equal([fault])
    })

  it('report every fault at once', () => {
    const faults = faultsOf({ HOST: '?', PORT: 'x', USERS: 'a,a', LOG_LEVEL: 'x', PUBLIC_ULR: 'x' })
    expect(faults.map(fault => fault.split(' ', 1)[0])).to.deep.equal([
      'HOST',
      'PORT',
      'USERS',
      'LOG_LEVEL',
      'PUBLIC_ULR',
    ])
  })

  it('report every conflict at once', () => {
    const faults = faultsOf({ STORAGE: 'mongo', DATA_DIR: './data', ADMIN_PORT: '8000', PUBLIC_ULR: 'x' })
    expect(faults.map(fault => fault.split(' ', 1)[0])).to.deep.equal([
      'MONGODB_URL',
      'DATA_DIR',
      'ADMIN_PORT',
      'PUBLIC_ULR',
    ])
  })

  const pageOf = (path: string) => readFile(join(root, path), 'utf8')
  const rowsIn = (page: string): readonly string[] => {
    const [, table = ''] = page.split('| Setting | Default | Meaning |\n| --- | --- | --- |\n')
    return table.split('\n\n', 1)[0]?.trimEnd().split('\n') ?? []
  }
  const rows = settingsTable.map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |`,
  )

  it('appear in docs/settings.md, each with its default and its meaning', async () => {
    expect(rowsIn(await pageOf('docs/settings.md'))).to.deep.equal(rows)
  })

  it('appear in the README as in docs/settings.md, if they do', async () => {
    const shown = rowsIn(await pageOf('README.md'))
    expect(shown).to.have.length.above(5)
    expect(rows).to.include.members([...shown])
  })

  it('appear in .env.example, each with its default', async () => {
    const lines = (await pageOf('.env.example')).split('\n').filter(line => line.startsWith('# ') && line.includes('='))
    expect(lines).to.deep.equal(settingsTable.map(({ name, fallback }) => `# ${name}=${fallback}`))
  })
})
