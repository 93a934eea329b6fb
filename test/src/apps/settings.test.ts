import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnvFile } from '@snippets/apps/settings/env-file.js'
import {
  type Environment,
  readSettings,
  type Settings,
  settingsTable,
  settingsWarnings,
  storageNames,
} from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
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

const good: readonly (readonly [string, Environment, Partial<Settings>])[] = [
  ['that are empty', { HOST: '', PORT: '', USERS: '', ADMIN_PORT: '', DATA_DIR: '' }, {}],
  ['of other programs', { USER: 'x', PORTAL: 'x', Port: 'x' }, {}],
  [
    'for addresses',
    { HOST: '::1', PORT: '0', ADMIN_PORT: '0', PUBLIC_URL: 'http://h:81/a//b///', MONGODB_URL: 'not looked at' },
    { HOST: '::1', PORT: 0, ADMIN_PORT: some(0), PUBLIC_URL: some('http://h:81/a//b'), MONGODB_URL: 'not looked at' },
  ],
  [
    'for users, origins and tokens',
    { USERS: ' ada ,grace hopper,Ada', CORS_ORIGINS: 'https://a.example, http://b:8080', API_TOKENS_FILE: '/tokens' },
    {
      USERS: names('ada', 'grace hopper', 'Ada'),
      CORS_ORIGINS: ['https://a.example', 'http://b:8080'],
      API_TOKENS_FILE: some('/tokens'),
    },
  ],
  [
    'for a service in memory',
    { DATA_DIR: './data', MEMORY_LIMIT_MB: '64', LOG_LEVEL: 'silent' },
    { DATA_DIR: some('./data'), MEMORY_LIMIT_MB: some(64), LOG_LEVEL: 'silent' },
  ],
  [
    'for a service on MongoDB',
    { ...mongo, PORT: '65535', USERS: longest, ACCESS_LOG: 'off', CORS_ORIGINS: '*', SHUTDOWN_GRACE_MS: '0' },
    { ...mongo, PORT: 65_535, USERS: names(longest), ACCESS_LOG: 'off', CORS_ORIGINS: ['*'], SHUTDOWN_GRACE_MS: 0 },
  ],
]

const url = 'PUBLIC_URL must be an absolute http:// or https:// URL without user name, password, query and fragment'
const noMongo = 'MONGODB_URL must be a mongodb:// or mongodb+srv:// URL that names a host, because STORAGE is mongo'
const noOrigin = 'an origin is like https://example.org, without a path; or * alone for all'

const oneStorage = `it must be one of ${storageNames.join(', ')}`

/** A setting, invalid values, and the message for each. */
const invalidValues: readonly (readonly [keyof Settings, readonly string[], string])[] = [
  ['PORT', ['65536', '-1', '080', '8e3', '1234567890'], 'it must be a whole number from 0 to 65535'],
  ['ADMIN_PORT', ['off'], 'it must be a whole number from 0 to 65535'],
  ['HOST', ['localhost:80/x', ' h'], 'it must be a host name or an IP address, without a port'],
  ['STORAGE', ['Mongo'], oneStorage],
  ['MEMORY_LIMIT_MB', ['0'], 'it must be a whole number from 1 to 1000000'],
  ['USERS', ['ada,', ','], 'it must be usernames separated by commas'],
  ['LOG_LEVEL', ['INFO'], 'it must be one of fatal, error, warn, info, debug, trace, silent'],
  ['ACCESS_LOG', ['sampled'], 'it must be one of all, errors, off'],
  ['DRAIN_DELAY_MS', ['-1', '3600001'], 'it must be a whole number from 0 to 3600000'],
]

const bad: readonly (readonly [Environment, string])[] = [
  ...invalidValues.flatMap(([name, values, why]) =>
    values.map(value => [{ [name]: value }, `${name} is ${JSON.stringify(value)}; ${why}`] as const),
  ),
  [{ ACCESS_LOG: 'x'.repeat(1000) }, `ACCESS_LOG is "${'x'.repeat(60)}..."; it must be one of all, errors, off`],
  [{ STORAGE: 'mongodb://u:s3cret@h/x' }, `STORAGE is "mongodb://***@h/x"; ${oneStorage}`],
  [{ ACCESS_LOG: `u:${'s3cret'.repeat(20)}@h` }, 'ACCESS_LOG is "***@h"; it must be one of all, errors, off'],
  ...[undefined, 'http://u:hush@h', 'mongodb:///db', 'xmongodb://h', 'mongodb://h x'].map(
    MONGODB_URL => [{ STORAGE: 'mongo', MONGODB_URL }, noMongo] as const,
  ),
  [{ USERS: 'ada,grace, ada' }, 'USERS names "ada" twice; it must name each user once'],
  [{ USERS: `${longest}x` }, `USERS names "${'😀'.repeat(30)}..."; a username must have 1 to 150 characters`],
  ...['snippets.example', 'ftp://h', 'http://', 'http://h/?', 'http://h/#a', 'http://a"b', 'http://u:hush@h/'].map(
    PUBLIC_URL => [{ PUBLIC_URL }, url] as const,
  ),
  [{ ADMIN_PORT: '8000' }, 'ADMIN_PORT is "8000", like PORT; it must be another port'],
  ...['https://*.a', 'ftp://a', 'null', 'a:1', 'https://a/', 'https://a:443', 'https://A', '*'].map(
    origin => [{ CORS_ORIGINS: `https://b,${origin}` }, `CORS_ORIGINS names "${origin}"; ${noOrigin}`] as const,
  ),
  ...['PORT', 'API_TOKENS_FILE', 'USERS'].flatMap(name =>
    ['80\n', 'a\0b', '\tx'].map(
      value => [{ [name]: value }, `${name} contains a control character, such as a line break`] as const,
    ),
  ),
]

const shown = (environment: Environment): string => JSON.stringify(environment).slice(0, 80)

const warnings: readonly (readonly [Environment, readonly string[]])[] = [
  [{ HOST: '127.0.0.2', ADMIN_PORT: '0', CORS_ORIGINS: 'https://a.example', MEMORY_LIMIT_MB: '1' }, []],
  [{ HOST: 'localhost', ADMIN_PORT: '0', ADMIN_HOST: '::1' }, []],
  [{ HOST: '0.0.0.0', CORS_ORIGINS: '*', API_TOKENS_FILE: '/tokens' }, []],
  [
    { HOST: '0.0.0.0', CORS_ORIGINS: '*', ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' },
    [
      'every client that reaches 0.0.0.0 can read and write: API_TOKENS_FILE is not set',
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
      'probes and metrics ask for no token, and ADMIN_HOST is not a loopback address',
    ],
  ],
  [{ MONGODB_URL: 'mongodb://h' }, ['MONGODB_URL has no effect: STORAGE is memory']],
  [{ ...mongo, DATA_DIR: './data' }, ['DATA_DIR has no effect: STORAGE is mongo']],
]

describe('The settings', () => {
  const defaults = must(readSettings({}))

  for (const [what, environment, expected] of good)
    it(`accept variables ${what}`, () => {
      expect(must(readSettings(environment))).to.deep.include({ ...defaults, ...expected })
    })

  for (const [environment, fault] of bad)
    it(`reject ${shown(environment)}`, () => {
      expect(faultsOf(environment)).to.deep.equal([fault])
    })

  it('report every fault and every conflict at once', () => {
    const faultyOf = (environment: Environment) => faultsOf(environment).map(fault => fault.split(' ', 1)[0])
    expect(faultyOf({ HOST: '?', PORT: 'x', USERS: 'a,a' })).to.deep.equal(['HOST', 'PORT', 'USERS'])
    expect(faultyOf({ STORAGE: 'mongo', ADMIN_PORT: '8000' })).to.deep.equal(['MONGODB_URL', 'ADMIN_PORT'])
  })

  for (const [environment, expected] of warnings)
    it(`${expected.length > 0 ? 'warn' : 'do not warn'} about ${shown(environment)}`, () => {
      expect(settingsWarnings(must(readSettings(environment)))).to.deep.equal(expected)
    })

  const pageOf = (path: string) => readFile(join(root, path), 'utf8')
  const rowsIn = (page: string): readonly string[] => {
    const [, table = ''] = page.split('| Setting | Default | Meaning |\n| --- | --- | --- |\n')
    return table.split('\n\n', 1)[0]?.trimEnd().split('\n') ?? []
  }
  const rows = settingsTable.map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |`,
  )

  it('appear in docs/settings.md, and some in the README, with default and meaning', async () => {
    expect(rowsIn(await pageOf('docs/settings.md'))).to.deep.equal(rows)
    const shown = rowsIn(await pageOf('README.md'))
    expect(shown).to.have.length.above(0)
    expect(rows).to.include.members([...shown])
  })

  it('appear in .env.example with their defaults', async () => {
    const lines = (await pageOf('.env.example')).split('\n').filter(line => line.startsWith('# ') && line.includes('='))
    expect(lines).to.deep.equal(settingsTable.map(({ name, fallback }) => `# ${name}=${fallback}`))
  })
})

describe('The file .env', () => {
  it('may have comments, exports, quotes of three kinds, CRLF line endings and variables of Docker Compose', () => {
    const text = [
      '# it\'s "ours',
      '',
      'PORT = 80 # it\'s "free"',
      'export HOST=::1',
      'USERS="ada,O\'Neil"',
      `DATA_DIR='./a#"b' # "quoted"`,
      'PUBLIC_URL=`http://h/a=b`',
      'CORS_ORIGINS=',
      'ADMIN_PORT= # none',
      'COMPOSE_PROJECT_NAME=x',
    ]
    const expected = {
      ...{ PORT: '80', HOST: '::1', USERS: "ada,O'Neil", DATA_DIR: './a#"b', PUBLIC_URL: 'http://h/a=b' },
      ...{ CORS_ORIGINS: '', ADMIN_PORT: '', COMPOSE_PROJECT_NAME: 'x' },
    }
    expect(parseEnvFile(text.join('\r\n'))).to.deep.equal(right(expected))
  })

  const notAssignment =
    'is not NAME=value with matching quotes; enclose a value with # or a quote in quotes of another kind'
  for (const [what, lines, faults] of [
    ['a missing quote', ['USERS="ada,grace', 'API_TOKENS_FILE="tokens.txt"'], [`line 1 ${notAssignment}`]],
    ['a missing quote before a comment', ["USERS='ada,grace", "# it's ours"], [`line 1 ${notAssignment}`]],
    ['a missing first quote', ['USERS=ada,grace"'], [`line 1 ${notAssignment}`]],
    ['text after a quote', ['DATA_DIR="./a"b'], [`line 1 ${notAssignment}`]],
    [
      'a value with #',
      ['DATA_DIR=./a#b', 'API_TOKENS_FILE=#tokens'],
      [1, 2].map(line => `line ${line} ${notAssignment}`),
    ],
    ['no equals sign', ['PORT: 80'], [`line 1 ${notAssignment}`]],
    ['a name that is not a setting', ['TOKENS_FILE='], ['line 1 sets TOKENS_FILE, which is not a setting']],
    ['a name twice', ['PORT=1', 'export PORT=2'], ['line 2 sets PORT again']],
  ] as const)
    it(`is rejected with ${what}`, () => {
      expect(parseEnvFile(lines.join('\n'))).to.deep.equal(left(faults))
    })
})
