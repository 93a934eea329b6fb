import { logLevels } from '@snippets/apps/logging/logger.js'
import { parseEnvFile } from '@snippets/apps/settings/env-file.js'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { readSettings, type Settings, settingNames, settingsWarnings } from '@snippets/apps/settings/settings.js'
import { storageNames } from '@snippets/apps/settings/storage-settings.js'
import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { anId, must } from '../support/snippets.js'
import { noTokensFile, readFromRoot } from '../support/workspace-root.js'

const faultsOf = (environment: Environment): readonly string[] => {
  const settings = readSettings(environment)
  return isLeft(settings) ? settings.left : []
}

const names = (...usernames: readonly string[]) =>
  usernames.map((username, position) => ({ id: anId(BigInt(position + 1)), username }))

const hasNoValue = (value: unknown): boolean => ['[]', '{"_tag":"None"}'].includes(JSON.stringify(value))

const longest = '😀'.repeat(150)
const mongo = { STORAGE: 'mongo', MONGODB_URL: 'mongodb+srv://u:p%40@h/db?w=majority' } as const

/** Valid values of a setting, as text and parsed. */
const good: readonly (readonly [keyof Settings, string, unknown])[] = [
  ['HOST', '', '127.0.0.1'],
  ['HOST', 'fe80::1%eth0', 'fe80::1%eth0'],
  ['PORT', '65535', 65_535],
  ['DATA_DIR', './db:data', some('./db:data')],
  ['MEMORY_LIMIT_MB', '64', some(64)],
  ['MONGODB_URL', 'ignored with STORAGE=memory', some('ignored with STORAGE=memory')],
  ['USERS', ' ada ,grace hopper,Ada', names('ada', 'grace hopper', 'Ada')],
  ['USERS', longest, names(longest)],
  ['PUBLIC_URL', 'http://h:81/a//b///', some('http://h:81/a//b')],
  ['LOG_LEVEL', 'silent', 'silent'],
  ['ADMIN_PORT', '0', some(0)],
  ['API_TOKENS_FILE', noTokensFile, some({ path: noTokensFile, tokens: [] })],
  ['CORS_ORIGINS', 'https://a.example, http://b:8080', ['https://a.example', 'http://b:8080']],
  ['CORS_ORIGINS', '*', ['*']],
]

const url = 'must be an absolute http:// or https:// URL without user name, password, query and fragment'
const noPort = 'must be a whole number from 0 to 65535'
const noHost = 'must be a host name or an IP address, without a port'
const noPath = 'must be a path, not a URL'
const noOrigins = (...wrong: readonly string[]) =>
  `must be a list of origins such as https://example.org, without a path; or * alone for all. Wrong: "${wrong.join('", "')}"`
const noUsers = 'must be a list of usernames of 1 to 150 characters, each once'

/** Invalid values of a setting, and the message for each. */
const bad: readonly (readonly [keyof Settings, readonly string[], string])[] = [
  ['PORT', ['65536', '-1', '080', '8e3', '1234567890'], noPort],
  ['HOST', ['localhost:80', '127.0.0.1:80', ' h'], noHost],
  ['STORAGE', ['postgres'], `must be one of ${storageNames.join(', ')}`],
  ['DATA_DIR', ['mongodb://h/x', 'mongodb:/u:p@h/x', 'FILE:x'], noPath],
  ['MEMORY_LIMIT_MB', ['0'], 'must be a whole number from 1 to 1000000'],
  ['ACCESS_LOG', ['sampled'], 'must be one of all, errors, off'],
  ['DRAIN_DELAY_MS', ['-1', '3600001'], 'must be a whole number from 0 to 3600000'],
  ['USERS', ['ada,', ',', 'ada,grace, ada', `${longest}x`], noUsers],
  ['PUBLIC_URL', ['snippets.example', 'xhttp://h', 'http://', 'http://h/?', 'http://h/#a', 'http://u:hush@h/'], url],
  ...['https://*.a', 'ftp://a', 'null', 'a:1', 'https://a/', 'https://a:443', 'https://A', '*', ''].map(
    origin => ['CORS_ORIGINS', [`https://b, ${origin}`], noOrigins(origin)] as const,
  ),
  ['CORS_ORIGINS', ['https://u:hush@a,https://b,*'], noOrigins('…@a', '*')],
  ['API_TOKENS_FILE', ['a\n', 'a\0b', '\tx'], 'contains a control character, such as a line break'],
]

const openToClients = 'every client that reaches 0.0.0.0 can read and write: API_TOKENS_FILE is not set'
const openToPages = 'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set'
const openProbes = 'probes and metrics ask for no token, and ADMIN_HOST is not a loopback address'
const noEffect = (name: string, storage: string) => `${name} has no effect: STORAGE is ${storage}`

/** Settings, whether the ports are local, and the warnings. */
const warnings: readonly (readonly [Environment, boolean, readonly string[]])[] = [
  [{ HOST: 'LOCALHOST', CORS_ORIGINS: 'https://a.example', DATA_DIR: './data' }, true, []],
  [{ CORS_ORIGINS: '*', API_TOKENS_FILE: noTokensFile }, false, [openProbes]],
  [{ HOST: '0.0.0.0', CORS_ORIGINS: '*' }, false, [openToClients, openToPages, openProbes]],
  [{ MONGODB_URL: 'mongodb://h' }, true, [noEffect('MONGODB_URL', 'memory')]],
  [
    { ...mongo, DATA_DIR: './data', MEMORY_LIMIT_MB: '9', USERS: 'ada' },
    true,
    [noEffect('DATA_DIR', 'mongo'), noEffect('MEMORY_LIMIT_MB', 'mongo')],
  ],
]

describe('The settings', () => {
  const defaults = must(readSettings({}))

  for (const [name, text, value] of good)
    it(`accept ${name}=${text.slice(0, 40)}`, () => {
      expect(readSettings({ [name]: text, USER: 'of another program' })).to.deep.equal(
        right({ ...defaults, [name]: value }),
      )
    })

  for (const [name, values, why] of bad)
    it(`reject ${name}=${values.map(value => JSON.stringify(value).slice(0, 40)).join(' and ')}`, () => {
      for (const value of values) expect(faultsOf({ [name]: value })).to.deep.equal([`${name} ${why}`])
    })

  it('report all faults together, a missing MONGODB_URL, and equal ports unless both are free ones', () => {
    const noUrl = 'MONGODB_URL is not set; STORAGE=mongo requires it'
    const samePort = 'ADMIN_PORT must differ from PORT'
    const advice = 'make it with `npm run token`, in UTF-8 and readable for the user of the service'
    const noTokens = `API_TOKENS_FILE cannot be used: /none: it cannot be read (ENOENT); ${advice}`
    for (const [environment, faults] of [
      [{ HOST: '?', PORT: '1', USERS: 'a,a' }, [`HOST ${noHost}`, `USERS ${noUsers}`]],
      [{ HOST: '?', PORT: '1', ADMIN_PORT: '1', API_TOKENS_FILE: '/none' }, [`HOST ${noHost}`, samePort, noTokens]],
      [{ STORAGE: 'mongo', PORT: 'abc', ADMIN_PORT: 'abc' }, [`PORT ${noPort}`, noUrl, `ADMIN_PORT ${noPort}`]],
      [{ STORAGE: 'mongo', MONGODB_URL: '', DATA_DIR: 'http://h' }, [noUrl, `DATA_DIR ${noPath}`]],
      [{ ADMIN_PORT: '8000' }, [samePort]],
      [{ PORT: '81', ADMIN_PORT: '8000' }, []],
      [{ PORT: '0', ADMIN_PORT: '0' }, []],
    ] as const)
      expect(faultsOf(environment)).to.deep.equal(faults)
  })

  for (const [environment, isLocal, expected] of warnings)
    it(`${expected.length > 0 ? 'warn' : 'do not warn'} about ${JSON.stringify(environment).slice(0, 80)}`, () => {
      const ports = { api: isLocal, admin: isLocal }
      expect(settingsWarnings(must(readSettings(environment)), environment, ports)).to.deep.equal(expected)
    })

  const documented = () => [...readFromRoot('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (.*) \| (.*) \|$/gm)]
  const documentedDefaults = () =>
    documented().map(([, name = '', fallback = '']) => [name, fallback.replaceAll('`', '')] as const)

  it('appear in docs/settings.md with their defaults and named values', () => {
    const rows = documented()
    expect(rows.map(([, name]) => name)).to.deep.equal(settingNames)
    expect(readSettings(Object.fromEntries(documentedDefaults()))).to.deep.equal(right(defaults))
    const unset = documentedDefaults().flatMap(([name, fallback]) => (fallback === '' ? [name] : []))
    expect(unset).to.deep.equal(Object.keys(defaults).filter(name => hasNoValue(Reflect.get(defaults, name))))
    for (const [name, values] of Object.entries({ STORAGE: storageNames, LOG_LEVEL: logLevels }))
      for (const value of values) expect(rows[settingNames.indexOf(name)]?.[3]).to.contain(`\`${value}\``)
  })

  it('appear in .env.example with their defaults', () => {
    const lines = readFromRoot('.env.example')
      .split('\n')
      .filter(line => line.startsWith('# ') && line.includes('='))
    expect(lines).to.deep.equal(documentedDefaults().map(([name, fallback]) => `# ${name}=${fallback}`))
  })
})

describe('The file .env', () => {
  it('may have comments, exports, quotes of three kinds, any line ends and space, and variables of Docker Compose', () => {
    const text = [
      '# it\'s "ours',
      '',
      '\u00a0PORT\u00a0= 80 # it\'s "free"',
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
    for (const lineEnd of ['\r\n', '\r', '\n']) expect(parseEnvFile(text.join(lineEnd))).to.deep.equal(right(expected))
  })

  const notAssignment =
    'is not NAME=value with matching quotes; enclose a value with # or a quote in quotes of another kind'
  for (const [what, line, fault] of [
    ['a missing quote', 'USERS="ada,grace', notAssignment],
    ['a missing first quote', 'USERS=ada,grace"', notAssignment],
    ['text after a quote', 'DATA_DIR="./a"b', notAssignment],
    ['a value with #', 'DATA_DIR=./a#b', notAssignment],
    ['a value that begins with #', 'API_TOKENS_FILE=#tokens', notAssignment],
    ['no equals sign', 'PORT: 80', notAssignment],
    ['a name that is not a setting', 'TOKENS_FILE=', 'sets TOKENS_FILE, which is not a setting'],
    ['a name twice', 'export HOST=b', 'sets HOST again'],
  ] as const)
    it(`is rejected with ${what}`, () => {
      const lines = ['HOST=a', line, "# it's ours", line]
      expect(parseEnvFile(lines.join('\n'))).to.deep.equal(left([`line 2 ${fault}`, `line 4 ${fault}`]))
    })
})
