import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings, type Settings, settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { anId } from '../support/snippets.js'
import { root } from '../support/workspace-root.js'

const settingsOf = (environment: Environment): Settings => {
  const settings = readSettings(environment)
  if (isRight(settings)) return settings.right
  throw new Error(settings.left.join('\n'))
}

const faultsOf = (environment: Environment): readonly string[] => {
  const settings = readSettings(environment)
  return isLeft(settings) ? settings.left : []
}

const defaults: Settings = {
  host: '127.0.0.1',
  port: 8000,
  storage: { kind: 'memory' },
  memoryLimitMb: none,
  users: [],
  publicUrl: none,
  logLevel: 'info',
  accessLog: 'all',
  admin: none,
  tokensFile: none,
  corsOrigins: [],
  workers: 1,
  drainDelayMs: 0,
  shutdownGraceMs: 10_000,
  limits: defaultLimits,
  maxLists: 64,
  maxBodyBytes: 262_144,
}

const names = (...usernames: readonly string[]) =>
  usernames.map((username, position) => ({ id: anId(BigInt(position + 1)), username }))

const longest = '😀'.repeat(150)

const good: readonly [Environment, Partial<Settings>][] = [
  [{}, {}],
  [{ HOST: '', PORT: '', USERS: '', ADMIN_PORT: '', MONGODB_URL: '' }, {}],
  [{ PATH: '/bin', USER: 'x', HOSTNAME: 'x', LOGNAME: 'x', PORTAL: 'x', USERNAME: 'x', DEBUG: 'x' }, {}],
  [{ MONGODB_PORT: 'x', REDIS_URL: 'x', DATABASE_URL: 'x', ADMIN_USER: 'x', npm_config_loglevel: 'x' }, {}],
  [{ API_TOKEN: 'x', TIMEOUT_MS: 'x', MAX_BYTES: 'x', HTTP_PORT: 'x', NODE_LOG_LEVEL: 'x', MONGODB_HOST: 'x' }, {}],
  [{ SNIPPETS_PORT: 'tcp://10.0.0.1:80', SNIPPETS_SERVICE_HOST: 'x', K_SERVICE: 'x', LISTEN_FDS: 'x', HOME: 'x' }, {}],
  [{ PORT: '80', PROT: 'x', Port: 'x' }, { port: 80 }],
  [
    { MAX_CONNECTIONS: '7', MAX_UNSENT_MB: '1' },
    { limits: { ...defaultLimits, connections: 7, unsentBytes: 1_048_576 } },
  ],
  [{ MAX_LISTS: '1' }, { maxLists: 1 }],
  [{ MAX_BODY_BYTES: '131072' }, { maxBodyBytes: 131_072 }],
  [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
  [{ HOST: '::1' }, { host: '::1' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ STORAGE: 'memory', MONGODB_URL: 'not looked at' }, {}],
  [{ STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' }, { storage: { kind: 'mongo', url: 'mongodb://h' } }],
  [
    { STORAGE: 'mongo', MONGODB_URL: 'mongodb+srv://u:p%40@h/db?w=majority' },
    { storage: { kind: 'mongo', url: 'mongodb+srv://u:p%40@h/db?w=majority' } },
  ],
  [{ DATA_DIR: './data' }, { storage: { kind: 'memory', directory: './data' } }],
  [{ DATA_DIR: '' }, { storage: { kind: 'memory' } }],
  [{ DATA_DIR: '', STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' }, { storage: { kind: 'mongo', url: 'mongodb://h' } }],
  [{ MEMORY_LIMIT_MB: '64' }, { memoryLimitMb: some(64) }],
  [{ USERS: 'ada' }, { users: names('ada') }],
  [{ USERS: ' ada ,grace hopper,Ada' }, { users: names('ada', 'grace hopper', 'Ada') }],
  [{ USERS: longest }, { users: names(longest) }],
  [{ PUBLIC_URL: 'https://snippets.example' }, { publicUrl: some('https://snippets.example') }],
  [{ PUBLIC_URL: 'http://h:81/base/' }, { publicUrl: some('http://h:81/base') }],
  [{ PUBLIC_URL: 'http://h/a//b///' }, { publicUrl: some('http://h/a//b') }],
  [{ PUBLIC_URL: 'http://h//' }, { publicUrl: some('http://h') }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ ACCESS_LOG: 'sampled' }, { accessLog: 'sampled' }],
  [{ ADMIN_PORT: '9000' }, { admin: some({ host: '127.0.0.1', port: 9000 }) }],
  [{ ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' }, { admin: some({ host: '0.0.0.0', port: 0 }) }],
  [{ ADMIN_HOST: '0.0.0.0' }, {}],
  [{ API_TOKENS_FILE: '/run/tokens' }, { tokensFile: some('/run/tokens') }],
  [
    { CORS_ORIGINS: 'https://a.example, http://b.example:8080' },
    { corsOrigins: ['https://a.example', 'http://b.example:8080'] },
  ],
  [{ CORS_ORIGINS: '*' }, { corsOrigins: ['*'] }],
  [
    { WORKERS: '4', STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' },
    { workers: 4, storage: { kind: 'mongo', url: 'mongodb://h' } },
  ],
  [{ DRAIN_DELAY_MS: '5000' }, { drainDelayMs: 5000 }],
  [{ SHUTDOWN_GRACE_MS: '0' }, { shutdownGraceMs: 0 }],
]

const port = 'it must be a whole number from 0 to 65535'
const url = 'must be an absolute http:// or https:// URL without user name, password, query and fragment'
const mongo = 'must be a mongodb:// or mongodb+srv:// URL that names a host, because STORAGE is mongo'

const bad: readonly [Environment, string][] = [
  [{ HOST: 'localhost:80/x' }, 'HOST is "localhost:80/x"; it must be a host name or an IP address, without a port'],
  [{ PORT: '65536' }, `PORT is "65536"; ${port}`],
  [{ PORT: '-1' }, `PORT is "-1"; ${port}`],
  [{ PORT: '080' }, `PORT is "080"; ${port}`],
  [{ PORT: '8e3' }, `PORT is "8e3"; ${port}`],
  [{ PORT: '80\n' }, `PORT is "80\\n"; ${port}`],
  [{ PORT: 'x'.repeat(1000) }, `PORT is "${'x'.repeat(60)}..."; ${port}`],
  [{ STORAGE: 'Mongo' }, 'STORAGE is "Mongo"; it must be one of memory, mongo'],
  [{ STORAGE: 'mongodb://u:s3cret@h/x' }, 'STORAGE is "mongodb://***@h/x"; it must be one of memory, mongo'],
  [{ HOST: `u:${'s3cret'.repeat(20)}@h` }, 'HOST is "***@h"; it must be a host name or an IP address, without a port'],
  [{ STORAGE: 'mongo' }, `MONGODB_URL ${mongo}`],
  [{ STORAGE: 'mongo', MONGODB_URL: '' }, `MONGODB_URL ${mongo}`],
  [{ STORAGE: 'mongo', MONGODB_URL: 'http://u:hush@h' }, `MONGODB_URL ${mongo}`],
  [{ STORAGE: 'mongo', MONGODB_URL: 'mongodb:///db' }, `MONGODB_URL ${mongo}`],
  [{ DATA_DIR: ' ' }, 'DATA_DIR is " "; it must be the path of a directory'],
  [{ DATA_DIR: 'a\0b' }, 'DATA_DIR is "a\\u0000b"; it must be the path of a directory'],
  [
    { DATA_DIR: './data', STORAGE: 'mongo', MONGODB_URL: 'mongodb://h' },
    'DATA_DIR is set, but STORAGE is mongo, and one of them has to keep the snippets. Set only the one you want',
  ],
  [
    { DATA_DIR: './data', WORKERS: '2' },
    'WORKERS is "2"; on memory it must be 1, as each process would have its own snippets. Set STORAGE to mongo for more',
  ],
  [{ DATADIR: './data' }, 'DATADIR is not a setting; did you mean DATA_DIR?'],
  [{ MEMORY_LIMIT_MB: '0' }, 'MEMORY_LIMIT_MB is "0"; it must be a whole number from 1 to 1000000'],
  [{ USERS: 'ada,,grace' }, 'USERS is "ada,,grace"; it must be usernames separated by commas'],
  [{ USERS: 'ada,' }, 'USERS is "ada,"; it must be usernames separated by commas'],
  [{ USERS: ' ' }, 'USERS is " "; it must be usernames separated by commas'],
  [{ USERS: 'ada,grace, ada' }, 'USERS names "ada" twice; it must name each user once'],
  [{ USERS: `${longest}x` }, `USERS names "${'😀'.repeat(30)}..."; a username must have 1 to 150 characters`],
  [{ PUBLIC_URL: 'snippets.example' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'ftp://snippets.example' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://h/?' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://h/#a' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://a"b' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://a/%zz' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://a/[x]' }, `PUBLIC_URL ${url}`],
  [{ PUBLIC_URL: 'http://u:hush@h/' }, `PUBLIC_URL ${url}`],
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL is "INFO"; it must be one of fatal, error, warn, info, debug, trace, silent'],
  [{ ACCESS_LOG: 'some' }, 'ACCESS_LOG is "some"; it must be one of all, sampled, off'],
  [{ ADMIN_PORT: 'off' }, `ADMIN_PORT is "off"; ${port}`],
  [{ PORT: '9000', ADMIN_PORT: '9000' }, 'ADMIN_PORT is "9000", and so is PORT. Set it to another one'],
  [{ ADMIN_PORT: '8000' }, 'ADMIN_PORT is "8000", and so is PORT. Set it to another one'],
  [{ ADMIN_HOST: 'a b' }, 'ADMIN_HOST is "a b"; it must be a host name or an IP address, without a port'],
  [
    { CORS_ORIGINS: 'https://a.example/' },
    'CORS_ORIGINS names "https://a.example/"; an origin is like https://example.org, or * for all',
  ],
  [
    { CORS_ORIGINS: 'a.example' },
    'CORS_ORIGINS names "a.example"; an origin is like https://example.org, or * for all',
  ],
  ...['https://*.a', 'ftp://a.example', 'null', 'https://a.example:443', 'https://A.example'].map(
    (origin): [Environment, string] => [
      { CORS_ORIGINS: `https://b.example,${origin}` },
      `CORS_ORIGINS names "${origin}"; an origin is like https://example.org, or * for all`,
    ],
  ),
  [
    { CORS_ORIGINS: '*,https://a.example' },
    'CORS_ORIGINS names * beside other origins; it must be * alone, or a list without it',
  ],
  [{ PORRT: '80' }, 'PORRT is not a setting; did you mean PORT?'],
  [{ PROT: '80' }, 'PROT is not a setting; did you mean PORT?'],
  [{ port: '80' }, 'port is not a setting; did you mean PORT?'],
  [{ PORT: '', PORRT: '80' }, 'PORRT is not a setting; did you mean PORT?'],
  [{ MONGO_URL: 'mongodb://u:hush@h' }, 'MONGO_URL is not a setting; did you mean MONGODB_URL?'],
  [{ MONGODB_URI: 'mongodb://u:hush@h' }, 'MONGODB_URI is not a setting; did you mean MONGODB_URL?'],
  [{ CORS_ORIGIN: '*' }, 'CORS_ORIGIN is not a setting; did you mean CORS_ORIGINS?'],
  [{ API_TOKEN_FILE: '/t' }, 'API_TOKEN_FILE is not a setting; did you mean API_TOKENS_FILE?'],
  ...[
    ['API_TOKENS', 'API_TOKENS_FILE'],
    ['TOKENS_FILE', 'API_TOKENS_FILE'],
    ['api_tokens', 'API_TOKENS_FILE'],
    ['FILE_API_TOKENS', 'API_TOKENS_FILE'],
    ['LEVEL_LOG', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['MEMORY_LIMIT', 'MEMORY_LIMIT_MB'],
    ['SHUTDOWN_GRACE', 'SHUTDOWN_GRACE_MS'],
    ['HEAD_TIMEOUT', 'HEAD_TIMEOUT_MS'],
    ['MAX_WAIT', 'MAX_WAIT_MS'],
  ].map(([name = '', meant = '']): [Environment, string] => [
    { [name]: 'x' },
    `${name} is not a setting; did you mean ${meant}?`,
  ]),
  [{ npm_config_port: '80' }, 'PORT cannot be given as an option; set it before: PORT=... npm start'],
  [{ WORKERS: '0' }, 'WORKERS is "0"; it must be a whole number from 1 to 64'],
  [
    { WORKERS: '2' },
    'WORKERS is "2"; on memory it must be 1, as each process would have its own snippets. Set STORAGE to mongo for more',
  ],
  [{ DRAIN_DELAY_MS: '-1' }, 'DRAIN_DELAY_MS is "-1"; it must be a whole number from 0 to 600000'],
  [{ SHUTDOWN_GRACE_MS: '1.5' }, 'SHUTDOWN_GRACE_MS is "1.5"; it must be a whole number from 0 to 600000'],
]

const shown = (environment: Environment): string => JSON.stringify(environment).slice(0, 80)

describe('The settings', () => {
  for (const [environment, expected] of good)
    it(`accept ${shown(environment)}`, () => {
      expect(settingsOf(environment)).to.deep.equal({ ...defaults, ...expected })
    })

  for (const [environment, fault] of bad)
    it(`refuse ${shown(environment)}`, () => {
      expect(faultsOf(environment)).to.deep.equal([fault])
    })

  it('report every fault at once', () => {
    const faults = faultsOf({ HOST: '?', PORT: 'x', STORAGE: 'mongo', USERS: 'a,a', LOG_LEVEL: 'x', ADMIN_PORT: 'x' })
    expect(faults.map(fault => fault.split(' ', 1)[0])).to.deep.equal([
      'MONGODB_URL',
      'HOST',
      'PORT',
      'USERS',
      'LOG_LEVEL',
      'ADMIN_PORT',
    ])
  })

  for (const [environment, names] of [
    [{ STORAGE: 'mongo', MONGODB_URL: 'mongodb://h', DATA_DIR: './data', PORT: 'x' }, ['PORT', 'DATA_DIR']],
    [{ STORAGE: 'mongo', DATA_DIR: './data', PORRT: '1' }, ['MONGODB_URL', 'DATA_DIR', 'PORRT']],
    [{ WORKERS: '2', HOST: '?' }, ['HOST', 'WORKERS']],
  ] as const)
    it(`report settings that conflict beside other faults: ${shown(environment)}`, () => {
      expect(faultsOf(environment).map(fault => fault.split(' ', 1)[0])).to.deep.equal(names)
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
    const example = await readFile(join(root, '.env.example'), 'utf8')
    const lines = example.split('\n').filter(line => line.startsWith('# ') && line.includes('='))
    expect(lines).to.deep.equal(settingsTable.map(({ name, fallback }) => `# ${name}=${fallback}`))
  })
})
