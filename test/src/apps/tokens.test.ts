import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hashOf } from '@snippets/adapters-http/doors/token.js'
import { expect } from 'chai'
import { endOf, type ServiceProcess, startProcess } from '../support/service/child-process.js'
import { root } from '../support/workspace-root.js'

type Run = Readonly<{ code: number; stdout: string; stderr: string }>

describe('Tokens', () => {
  let folder: string
  let file: string
  let service: ServiceProcess | undefined
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tokens-'))
    file = join(folder, 'tokens.txt')
  })
  afterEach(async () => {
    service?.kill('SIGKILL')
    service = undefined
    await rm(folder, { recursive: true })
  })

  const make = (name: string, scope: string, path: string | undefined = file): Promise<Run> =>
    new Promise(resolve =>
      execFile(
        process.execPath,
        [join(root, 'apps/dist/token.js'), '--name', name, '--scope', scope],
        { cwd: folder, env: { PATH: process.env.PATH, ...(path && { API_TOKENS_FILE: path }) } },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    )

  const serve = async (): Promise<ServiceProcess> => {
    service = await startProcess({ API_TOKENS_FILE: file })
    return service
  }

  const statusWith = async (token: string, method = 'GET'): Promise<number | undefined> =>
    (await fetch(`${service?.url}/api/snippets/`, { method, headers: { Authorization: `Bearer ${token}` } })).status

  it('are made with 256 random bits, printed once, and kept as hashes in a file that only its owner reads', async () => {
    const { code, stdout } = await make('ada', 'write')
    expect(code).to.equal(0)
    const [, secret = ''] = /^snippets_([\w-]+)\n$/.exec(stdout) ?? []
    expect(Buffer.from(secret, 'base64url')).to.have.length(32)
    const hash = Buffer.from(hashOf(stdout.trim())).toString('hex')
    expect(await readFile(file, 'utf8')).to.equal(`ada write sha256:${hash}\n`)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('are refused with a sentence when the name, the scope or the file is wrong', async () => {
    await make('ada', 'write')
    const before = await readFile(file, 'utf8')
    const usage = 'Usage: npm run token -- --name NAME --scope read|write'
    for (const [run, code, sentence] of [
      [await make('ada', 'read'), 1, `${file} already has a token named ada.`],
      [await make('a b', 'read'), 64, `A name has 1 to 64 letters, digits, dots, hyphens or underscores. ${usage}`],
      [await make('bob', 'admin'), 64, usage],
      [await make('bob', 'read', ''), 1, 'Set API_TOKENS_FILE to the file that the service reads its tokens from.'],
    ] as const)
      expect(run).to.deep.equal({ code, stdout: '', stderr: `${sentence}\n` })
    expect(await readFile(file, 'utf8')).to.equal(before)
  })

  it('are refused with a sentence when the file cannot be read or written', async () => {
    const [missing, notFolder] = [join(folder, 'none', 'tokens.txt'), join(file, 'tokens.txt')]
    await writeFile(file, '# who may write')
    const refusals: [string, string][] = [
      [folder, `${folder} cannot be used: it is not a regular file.`],
      [missing, `${missing} cannot be made: its folder does not exist.`],
      [notFolder, `${notFolder} cannot be read and written (ENOTDIR).`],
      ['mongodb://u:s3cret@h/x', 'mongodb://***@h/x cannot be made: its folder does not exist.'],
    ]
    for (const [path, sentence] of refusals)
      expect(await make('ada', 'write', path)).to.deep.equal({ code: 1, stdout: '', stderr: `${sentence}\n` })
  })

  it('open the service, each as far as its scope goes', async () => {
    const [writer, reader] = [(await make('ada', 'write')).stdout.trim(), (await make('bob', 'read')).stdout.trim()]
    await serve()
    const statuses = [await statusWith(writer), await statusWith(reader), await statusWith('other')]
    expect(statuses).to.deep.equal([200, 200, 401])
    expect([await statusWith(writer, 'POST'), await statusWith(reader, 'POST')]).to.deep.equal([415, 403])
  })

  it('are read again on SIGHUP, and stay as they were when the file is faulty', async () => {
    const old = (await make('ada', 'write')).stdout.trim()
    const { kill, logged } = await serve()
    const reload = async (message: string): Promise<void> => {
      const before = logged().length
      kill('SIGHUP')
      while (
        !logged()
          .slice(before)
          .some(({ msg }) => msg.startsWith(message))
      )
        await pause(20)
    }
    const added = (await make('bob', 'read')).stdout.trim()
    expect(await statusWith(added)).to.equal(401)
    await reload('tokens reloaded')
    expect([await statusWith(old), await statusWith(added)]).to.deep.equal([200, 200])

    await appendFile(file, `${added} as it is\n`)
    await reload('API_TOKENS_FILE is faulty')
    await rm(file)
    await reload('API_TOKENS_FILE is faulty')
    expect([await statusWith(old), await statusWith(added)]).to.deep.equal([200, 200])
    expect(JSON.stringify(logged())).to.not.contain(added)

    await make('eve', 'read')
    await reload('tokens reloaded')
    expect([await statusWith(old), await statusWith(added)]).to.deep.equal([401, 401])
  })

  for (const [what, text, why] of [
    ['is not there', undefined, 'does not exist'],
    ['is empty', '# none yet\n\n', 'holds no token'],
    [
      'has faulty lines',
      `ada write\nbob read sha256:${'0'.repeat(63)}\n`,
      'has no "name read|write sha256:hash" in line 1; it has no "name read|write sha256:hash" in line 2',
    ],
    ['names a token twice', `ada read sha256:${'0'.repeat(64)}\n`.repeat(2), 'names ada twice'],
  ] as const)
    it(`keep the service from starting, with 78 and one sentence, when the file ${what}`, async () => {
      if (text !== undefined) await writeFile(file, text)
      const { code, stdout, stderr } = await endOf({ PORT: '0', API_TOKENS_FILE: file })
      const expected = { code: 78, stdout: '', stderr: `API_TOKENS_FILE cannot be used: ${file} ${why}.\n` }
      expect({ code, stdout, stderr }).to.deep.equal(expected)
    })
})
