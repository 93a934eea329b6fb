import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { unusual } from '@snippets/apps/settings/notices.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { logLinesOf } from '../support/log-lines.js'
import { endOf, type ServiceProcess, startProcess } from '../support/service/child-process.js'
import { must } from '../support/snippets.js'

describe('At start', () => {
  let folder: string
  let service: ServiceProcess | undefined
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'))
  })
  afterEach(async () => {
    service?.kill('SIGKILL')
    await service?.ended
    service = undefined
    await rm(folder, { recursive: true })
  })
  const serve = async (environment: Environment): Promise<ServiceProcess> => {
    service = await startProcess(environment, 'main.js', { folder })
    return service
  }
  const names = async (): Promise<readonly string[]> => {
    const users = JSON.parse(await (await fetch(`${service?.url}/api/users/`)).text())
    return users.results.map(({ username }: { username: string }) => username)
  }

  it('the service reads .env of its folder, below the environment', async () => {
    await writeFile(join(folder, '.env'), '\uFEFF# comment\nUSERS="ann,bob"\nPORT=1\nADMIN_PORT=0\n')
    const { adminUrl } = await serve({ PORT: '0' })
    expect(adminUrl).to.match(/^http/)
    expect(await names()).to.deep.equal(['ann', 'bob'])
  })

  it('the service refuses a misspelled name in .env', async () => {
    await writeFile(join(folder, '.env'), 'PORRT=0\n')
    const { code, stderr } = await endOf({}, { folder })
    expect(code).to.equal(78)
    expect(stderr).to.equal('The settings are wrong:\n  PORRT is not a setting; did you mean PORT?\n')
  })

  for (const [what, text, line] of [
    ['a line that is not a setting', 'tokens on\nPORT=0\n', 1],
    ['a colon for an equals sign', 'HOST=127.0.0.1\nPORT: 0\n', 2],
  ] as const)
    it(`the service refuses ${what} in .env, instead of losing a setting`, async () => {
      await writeFile(join(folder, '.env'), text)
      const { code, stderr } = await endOf({}, { folder })
      expect(code).to.equal(78)
      expect(stderr).to.contain(`.env cannot be used: line ${line} is not NAME=value.\n`)
    })

  it('the service hides the password of a URL that it is passed as an argument', async () => {
    const { stderr } = await endOf({ PORT: '0' }, { folder, args: ['mongodb://u:s3cret@h/x'] })
    expect(stderr).to.match(/^"mongodb:\/\/\*\*\*@h\/x" is not understood: /)
  })

  for (const argument of ['8080', '--port', '-h'])
    it(`the service refuses the argument ${argument} with a sentence and 64`, async () => {
      const { code, stdout, stderr } = await endOf({ PORT: '0' }, { folder, args: [argument] })
      expect({ code, stdout }).to.deep.equal({ code: 64, stdout: '' })
      expect(stderr).to.equal(
        `"${argument}" is not understood: settings are environment variables, as in PORT=8080 npm start.\n`,
      )
    })

  it('the greeting says what is off', async () => {
    const { greeting } = await serve({})
    expect(greeting).to.contain('\nOff: tokens (API_TOKENS_FILE), CORS (CORS_ORIGINS), admin pages (ADMIN_PORT).\n')
  })

  it('the greeting shows how to send a token where one is needed', async () => {
    const file = join(folder, 'tokens.txt')
    await writeFile(file, `ada read sha256:${'0'.repeat(64)}\n`)
    const { greeting } = await serve({ API_TOKENS_FILE: file, CORS_ORIGINS: '*', ADMIN_PORT: '0' })
    expect(greeting).to.not.contain('Off:')
    expect(greeting.match(/ -H 'Authorization: Bearer '"\$TOKEN"/g)).to.have.length(2)
  })

  it('the log warns of what is unusual', async () => {
    const { kill, ended } = await serve({ CORS_ORIGINS: '*' })
    kill('SIGTERM')
    const warnings = logLinesOf((await ended).stderr).filter(({ level }) => level === 40)
    expect(warnings.map(({ msg }) => msg)).to.deep.equal(unusualOf({ CORS_ORIGINS: '*' }))
  })
})

const unusualOf = (environment: Environment) => unusual(must(readSettings(environment)), environment)

const notices: readonly (readonly [Environment, readonly string[]])[] = [
  [{}, []],
  [{ HOST: '127.0.0.2', ADMIN_PORT: '0', CORS_ORIGINS: 'https://a.example', MEMORY_LIMIT_MB: '1' }, []],
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
      expect(unusualOf(environment)).to.deep.equal(expected)
    })
})
