import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { noMetrics } from '@snippets/apps/metrics/metrics.js'
import { readSmallTextFile, readTextFileIfAny } from '@snippets/apps/text-file.js'
import { addToken } from '@snippets/apps/tokens/add-token.js'
import { createReloadableTokens, loadTokenFile } from '@snippets/apps/tokens/token-file.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { composedServices } from '../support/service/composed-service.js'
import { recordingLog } from '../support/service/logs.js'
import { must } from '../support/snippets.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

describe('The token file', () => {
  const newDirectory = directories()
  const start = composedServices()

  for (const [what, replace] of [
    ['a device without an end', (path: string) => symlink('/dev/zero', path)],
    ['a pipe without a writer', async (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => symlink('/', path)],
    [
      'larger than 1 MiB',
      async (path: string) => {
        await writeFile(path, '')
        await truncate(path, 1024 * 1024 + 1)
      },
    ],
  ] as const)
    it(`cannot be used, and leaves the old tokens valid at a reload, when it is ${what}`, async () => {
      const folder = await newDirectory()
      const [good, bad] = [join(folder, 'good'), join(folder, 'bad')]
      must(addToken({ name: 'ada', scope: 'write' }, good))
      await replace(bad)
      expect(loadTokenFile(bad))
        .to.have.property('left')
        .that.contains(`${bad}: it is not a regular file of at most 1 MiB`)
      expect(addToken({ name: 'bob', scope: 'read' }, bad))
        .to.have.property('left')
        .that.contains('it is not a regular file of at most 1 MiB')
      const { log, lines } = recordingLog()
      const opened = must(loadTokenFile(good))
      const { tokens, reload } = createReloadableTokens(some({ ...opened, path: bad }), { log, metrics: noMetrics })
      reload()
      expect(tokens?.()).to.deep.equal(opened.tokens)
      expect(lines).to.have.lengthOf(1)
      expect(lines[0]).to.include({ level: 'error' })
    })

  it('keeps the line of a token that could not be shown, and the error says to delete it', async () => {
    const path = join(await newDirectory(), 'tokens')
    const args = [join(root, 'apps/dist/commands/token.js'), '--name', 'ada', '--scope', 'read']
    const env = { ...process.env, API_TOKENS_FILE: path }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [[code], message] = await Promise.all([once(child, 'exit'), text(child.stderr)])
    expect(message).to.equal('The token cannot be shown (EPIPE). Delete the line of ada in API_TOKENS_FILE.\n')
    expect(code).to.equal(1)
    expect(await readFile(path, 'utf8')).to.match(/^ada read sha256:/)
  })

  it('stays as it is when a full disk takes only a part of a new token', async () => {
    const path = join(await newDirectory(), 'tokens')
    await writeFile(path, '#'.repeat(1000))
    const script = `import { appendToFile } from ${JSON.stringify(pathToFileURL(join(root, 'apps/dist/text-file.js')))}
      console.log(JSON.stringify(appendToFile(${JSON.stringify(path)}, 'x'.repeat(100))))`
    // a file of at most a kilobyte
    const limited = `ulimit -f ${process.platform === 'darwin' ? 2 : 1}; exec "$0" --input-type=module -e "$1"`
    const written = execFileSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
    expect(JSON.parse(written)).to.deep.equal(left('it cannot be written (EFBIG)'))
    expect(await readFile(path, 'utf8')).to.equal('#'.repeat(1000))
  })

  it('is read to its end although the system tells no size, as in procfs', async function () {
    const file = '/proc/self/limits'
    if (!existsSync(file)) this.skip()
    expect(readSmallTextFile(file)).to.deep.equal(readTextFileIfAny(file))
    expect(must(readSmallTextFile(file))).to.contain('Max open files')
  })

  it('sets the gauge service_tokens_faulty while its last reload failed', async () => {
    const API_TOKENS_FILE = join(await newDirectory(), 'tokens')
    const token = must(addToken({ name: 'ada', scope: 'write' }, API_TOKENS_FILE))
    const { adminUrl, reload } = await start({ ADMIN_PORT: '0', API_TOKENS_FILE })
    const gauge = async () =>
      /^service_tokens_faulty (\d)$/m.exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[1]
    expect(token).to.match(/^snippets_/)
    expect(await gauge()).to.equal('0')
    await writeFile(API_TOKENS_FILE, 'broken')
    reload()
    expect(await gauge()).to.equal('1')
    await writeFile(API_TOKENS_FILE, '')
    reload()
    expect(await gauge()).to.equal('0')
  })

  it('has the gauge service_tokens_faulty without tokens too', async () => {
    const { adminUrl } = await start({ ADMIN_PORT: '0' })
    expect(await (await fetch(`${adminUrl}/metrics`)).text()).to.contain('\nservice_tokens_faulty 0\n')
  })
})
