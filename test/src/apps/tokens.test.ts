import { spawnSync } from 'node:child_process'
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashToken } from '@snippets/adapters-http/middleware/tokens.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { addToken, readTokenOptions } from '@snippets/apps/tokens/add-token.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { composedServices } from '../support/service/composed-service.js'
import { must } from '../support/snippets.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const lineOf = (name: string, token: string): string =>
  `${name} write sha256:${Buffer.from(hashToken(token)).toString('hex')}\n`

describe('API tokens:', () => {
  let folder: string
  let file: string
  const newDirectory = directories()
  beforeEach(async () => {
    folder = await newDirectory()
    file = join(folder, 'tokens.txt')
  })

  const runToken = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'apps/dist/commands/token.js'), ...args], {
      cwd: folder,
      env: { API_TOKENS_FILE: file },
      encoding: 'utf8',
    })

  const add = (name: string) => addToken({ name, scope: 'write' }, file)

  it('a new token has 256 random bits, is printed once, and is stored as a hash', async () => {
    const { stdout, stderr } = runToken('--name', 'ada', '--scope', 'write')
    expect(stderr).to.contain('This is the token; it is not shown again.')
    const [, secret = ''] = /^snippets_([\w-]+)\n$/.exec(stdout) ?? []
    expect(Buffer.from(secret, 'base64url')).to.have.length(32)
    expect(await readFile(file, 'utf8')).to.equal(lineOf('ada', stdout.trim()))
  })

  it('a new token is added on its own line, even when the last line has no newline, and a new file has mode 600', async () => {
    for (const before of ['', '# who may write']) {
      if (before !== '') await writeFile(file, before)
      const added = lineOf('ada', must(add('ada'))) + lineOf('bob', must(add('bob')))
      expect(await readFile(file, 'utf8')).to.equal(`${before && `${before}\n`}${added}`)
    }
    // Windows has no such modes
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('npm run token requires a name and a scope, and exits with 64 without them', () => {
    expect(must(readTokenOptions(['--name', 'a', '--scope', 'read']))).to.include({ name: 'a', scope: 'read' })
    for (const args of [
      '--name #a --scope read',
      '--name a --scope admin',
      '--nam a --scope read',
      '--name a! --scope read',
      '--scope read',
    ])
      expect(readTokenOptions(args.split(' ')), args)
        .to.have.property('left')
        .that.match(/^Usage: npm run token -- --name NAME --scope read\|write\n.*\nSet API_TOKENS_FILE to /)
    expect(runToken()).to.include({ status: 64, stdout: '' })
  })

  it('a new token is rejected with a reason when the file is unset, unusable or has its name already', async () => {
    await writeFile(file, lineOf('ada', 'x'))
    const faulty = join(folder, 'faulty')
    await writeFile(faulty, `ada\nbob\n${lineOf('eve', 'x').repeat(2)}`)
    const isFaulty = (line: number) => `line ${line} is not "name read|write sha256:hash"`
    for (const [path, sentence] of [
      [undefined, 'Set API_TOKENS_FILE to the file that the service reads its tokens from.'],
      [file, 'API_TOKENS_FILE: it already has a token ada; nothing was added.'],
      [faulty, `API_TOKENS_FILE: ${isFaulty(1)}; ${isFaulty(2)}; eve is named twice.`],
      [folder, 'API_TOKENS_FILE: it is not a regular file of at most 1 MiB.'],
      ['mongodb://u:s3cret@h/x', 'API_TOKENS_FILE: it cannot be written (ENOENT).'],
    ] as const)
      expect(addToken({ name: 'ada', scope: 'read' }, path)).to.deep.equal(left(sentence))
    expect(runToken('--name', 'ada', '--scope', 'read')).to.include({ status: 1, stdout: '' })
    expect(await readFile(file, 'utf8')).to.equal(lineOf('ada', 'x'))
  })

  describe('API_TOKENS_FILE', () => {
    const start = composedServices()

    it('admits its tokens from each reload on, unless it is malformed, and may have CRLF or no token', async () => {
      const ada = must(add('ada'))
      await writeFile(file, `# who may write\r\n${(await readFile(file, 'utf8')).replace('\n', '\r\n')}`)
      const { url, reload, logged } = await start({ API_TOKENS_FILE: file })
      const statusWith = async (token: string): Promise<number> =>
        (await fetch(`${url}/api/snippets/`, { headers: { Authorization: `Bearer ${token}` } })).status
      const reloaded = (): string => {
        reload()
        return logged.at(-1)?.msg ?? ''
      }
      const bob = must(add('bob'))
      expect([await statusWith(ada), await statusWith(bob)]).to.deep.equal([200, 401])
      expect(reloaded()).to.equal('tokens reloaded')

      const isFaulty = 'API_TOKENS_FILE is faulty, so revoked tokens still work: correct it, and send SIGHUP again'
      await appendFile(file, `${bob} as it is\n`)
      expect(reloaded()).to.equal(isFaulty)
      await rm(file)
      expect(reloaded()).to.equal(isFaulty)
      expect(logged.at(-1)?.fault).to.contain('it cannot be read (ENOENT)')
      expect([await statusWith(ada), await statusWith(bob)]).to.deep.equal([200, 200])
      expect(JSON.stringify(logged)).to.not.contain(bob)

      add('eve')
      expect(reloaded()).to.equal('tokens reloaded')
      expect([await statusWith(ada), await statusWith(bob)]).to.deep.equal([401, 401])

      await writeFile(file, '# none\n')
      const noToken = 'API_TOKENS_FILE holds no token: every request gets 401'
      expect(reloaded()).to.equal(noToken)
      expect((await start({ API_TOKENS_FILE: file })).logged).to.deep.equal([{ level: 'warn', msg: noToken }])
    })

    it('prevents the start, and says what to do, when it is missing, not in UTF-8 or itself a token', async () => {
      const token = must(add('ada'))
      await writeFile(file, '\u00ff', 'latin1')
      const advice = 'make it with `npm run token`, in UTF-8 and readable for the user of the service'
      for (const [path, code, shown = path] of [
        [`${folder}/none`, 'ENOENT'],
        [file, 'ERR_ENCODING_INVALID_ENCODED_DATA'],
        [`Bearer ${token}`, 'ENOENT', 'Bearer snippets_…'],
      ] as const) {
        const message = `API_TOKENS_FILE cannot be used: ${shown}: it cannot be read (${code}); ${advice}`
        expect(readSettings({ API_TOKENS_FILE: path })).to.deep.equal(left([message]))
      }
    })
  })
})
