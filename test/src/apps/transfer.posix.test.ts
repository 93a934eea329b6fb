import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { becomeOwner } from '@snippets/apps/storages/memory.js'
import { rowLine } from '@snippets/apps/transfer/ndjson.js'
import { addressKinds, transfer } from '@snippets/apps/transfer/transfer-rows.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import { importing, killAtExit } from '../support/service/child-process.js'
import { anId, draft, must } from '../support/snippets.js'
import { backupOf, directories, openDirectory } from '../support/storage/data-directory.js'
import { databases } from '../support/storage/databases.js'
import { root } from '../support/workspace-root.js'

const large = '9007199254740993'
const last = '9223372036854775806'
const maxId = '9223372036854775807'
const header = `{"kind":"head","row":{"format":"snippets-1","last_id":"${last}"}}`
const end = (...rows: readonly string[]) => {
  const sha256 = createHash('sha256')
    .update(rows.map(row => `${row}\n`).join(''))
    .digest('hex')
  return `{"kind":"end","row":{"sha256":"${sha256}"}}`
}
const user = '{"kind":"user","row":{"id":"3","username":"ada \\"l\\""}}'
/** Returns the text of a row. The id and the title may be invalid. */
const snippet = (id: string, title = 'a title') => {
  const content = draft({ code: '1234567890123456789', created_at: -5 })
  const entity = { ...firstVersion(anId(1n), content), version: 7 }
  return rowLine({ kind: 'snippet', entity }).trimEnd().replace('"id":"1"', `"id":"${id}"`).replace('a title', title)
}
const fileOf = (...rows: readonly string[]): string => [header, ...rows, end(...rows), ''].join('\n')
const rows = [user, snippet('5'), snippet(large, 'é 😀\u2028')]
const good = fileOf(...rows)
const isDamaged = 'is damaged: its rows do not match its last line'

const runTransfer = (variables: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  new Promise<Readonly<{ code: number | null; stderr: string }>>(resolve => {
    const child = execFile(
      process.execPath,
      [join(root, 'apps/dist/commands/transfer.js'), ...args],
      { env: { ...process.env, ...variables } },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode, stderr }),
    )
  })

describe('A transfer', () => {
  const newDirectory = directories()
  const newPath = async (name: string): Promise<string> => join(await newDirectory(), name)

  const file = async (text: string | Uint8Array): Promise<string> => {
    const path = await newPath('rows.ndjson')
    await writeFile(path, text)
    return path
  }
  const run = (from: string, to: string) => transfer({ from, to }, { copied: 0, compared: 0 })()

  it('succeeds although the reader of its messages has left', async () => {
    const args = [
      join(root, 'apps/dist/commands/transfer.js'),
      '--from',
      await file(good),
      '--to',
      await newPath('copy'),
    ]
    const child = killAtExit(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] }))
    child.stderr?.destroy()
    expect(await once(child, 'exit')).to.deep.equal([0, null])
  })

  for (const [spelling, other] of [
    ['with a slash at its end', async (path: string) => `${path}/`],
    ['through a folder that does not exist', async (path: string) => `${path}/none/..`],
    [
      'through a link to its rows',
      async (path: string) => {
        await mkdir(`${path}-other`)
        await symlink(join(path, 'snippets'), join(`${path}-other`, 'snippets'))
        return `${path}-other`
      },
    ],
    [
      'through a link',
      async (path: string) => {
        await symlink(path, `${path}-link`)
        return `${path}-link`
      },
    ],
    [
      'through a mount',
      async (path: string) => {
        await mkdir(`${path}-mount`)
        execFileSync('mount', ['--bind', path, `${path}-mount`], { stdio: 'ignore' })
        return `${path}-mount`
      },
    ],
  ] as const)
    it(`changes nothing when the target is the source, named ${spelling}`, async function () {
      const path = await newPath('data')
      must(await run(await file(good), path))
      const to = await other(path).catch(() => undefined)
      if (to === undefined) this.skip()
      try {
        for (let round = 0; round < 2; round++)
          expect(await run(path, to)).to.have.property('left', `target ${to}: is the source too. Name another target.`)
      } finally {
        if (spelling === 'through a mount') execFileSync('umount', [to])
      }
      const storage = await openDirectory(path)
      expect((await backupOf(storage)).split('\n')).to.have.lengthOf(rows.length + 3)
      await storage.close()
    })
  const errorOf = async (from: string, to: string): Promise<string> => {
    const result = await run(from, to)
    return isLeft(result) ? result.left : `${result.right} rows were transferred`
  }
  /** Returns a backup of the directory. */
  const linesIn = async (directory: string): Promise<string> => {
    const storage = await openDirectory(directory)
    return backupOf(storage).finally(storage.close)
  }

  it('copies a file to a directory, and from there byte for byte, with snippets, users and the last id', async () => {
    const [directory, another] = [await newPath('data.ndjson.d'), await newPath('another')]
    expect(must(await run(await file(good), directory))).to.equal(3)
    expect(must(await run(directory, another))).to.equal(3)
    // before the first snippet
    expect(must(await run(await file(fileOf(user).replace(last, '0')), await newPath('users')))).to.equal(1)
    expect(await errorOf(directory, another)).to.equal(`target ${another}: is not empty. Name another target.`)
    for (const copy of [directory, another]) expect(await linesIn(copy)).to.equal(good)
    const { snippets, close } = await openDirectory(another)
    expect(must(await snippets.create(draft())()).id).to.equal(BigInt(last) + 1n)
    await close()
  })

  it('counts the rows that it has copied and compared', async () => {
    const counts = { copied: 0, compared: 0 }
    must(await transfer({ from: await file(good), to: await newPath('data') }, counts)())
    expect(counts).to.deep.equal({ copied: 3, compared: 3 })
    const [from, failed] = [await file(good.slice(0, -5)), { copied: 0, compared: 0 }]
    await transfer({ from, to: await newPath('data') }, failed)()
    expect(failed).to.include({ compared: 0 })
  })

  it('says how to go on when it fails midway, and can be repeated', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => snippet(String(index + 1)))
    const to = await newPath('data')
    const from = await file(fileOf(...rows).replace('"id":"900"', '"id":"x"'))
    expect(await errorOf(from, to)).to.equal(
      `source ${from}: line 901 is malformed. Use another backup. The copy is incomplete. Drop it if it is a database, then repeat the transfer.`,
    )
    expect(must(await run(await file(fileOf(...rows)), to))).to.equal(1000)
    expect(await linesIn(to)).to.equal(fileOf(...rows))
  })

  it('fails when the target holds other rows than the source', async () => {
    const to = await newPath('data')
    for (const rows of [
      [snippet('7'), snippet('5')],
      [snippet('5'), snippet('5')],
      [snippet('5'), user],
    ])
      expect(await errorOf(await file(fileOf(...rows)), to)).to.contain(`target ${to}: differs from the source.`)
  })

  const aboveLast = `a snippet has an id above ${last}, the largest that was assigned`
  for (const [what, text, why] of [
    ['is empty', '', 'line 1 is malformed, or of a newer version'],
    ['begins with a row', `${snippet('5')}\n`, 'line 1 is malformed, or of a newer version'],
    ['is of another format', good.replace('snippets-1', 'snippets-2'), 'line 1 is malformed, or of a newer version'],
    ['has a line that is not JSON', fileOf(user, '{"kind":"user"'), 'line 3 is malformed'],
    ['has a title that is too long', fileOf(snippet('5', 'x'.repeat(101))), 'line 2 is malformed'],
    ['has an id above its last id', fileOf(snippet(maxId)), aboveLast],
    ['has an id without quotes', fileOf(snippet('5').replace('"5"', '5')), 'line 2 is malformed'],
    ['has a second header', fileOf(user, header), 'line 3 is malformed'],
    ['lost a line', good.replace(`${user}\n`, ''), isDamaged],
    ['has another character', good.replace('a title', 'b title'), isDamaged],
    ['lost its last line', good.replace(`${end(...rows)}\n`, ''), 'is truncated: its last line is missing'],
    ['lost half of its last line', good.slice(0, -5), 'line 5 is malformed'],
    ['goes on after its last line', `${good}${snippet('6')}\n`.padEnd(200_000, ' \n'), 'line 6 is malformed'],
    ['has a line without an end', good + 'x'.repeat(3_000_000), 'line 6 is malformed'],
    ['is not UTF-8', Buffer.from(good, 'latin1'), 'line 4 is malformed'],
  ] as const)
    it(`rejects a file that ${what}, and says why`, async () => {
      const [from, to] = [await file(text), await newPath('data')]
      expect(await errorOf(from, to)).to.contain(`source ${from}: ${why}.`)
      // a service would start on an empty directory
      expect(existsSync(to)).to.equal(!why.startsWith('line 1 '))
    })

  it('rejects a misspelled URL, a file as its target, and sources that do not exist, and creates nothing', async () => {
    const [url, to, none] = ['http+unix://h/x', await newPath('new.NDJSON'), await newPath('none')]
    const fileAsFolder = await file(good)
    expect(await errorOf(url, none)).to.equal(`source: is not ${addressKinds} or an .ndjson file.`)
    expect(await errorOf(await file(good), to)).to.equal(`target ${to}: is not ${addressKinds}.`)
    expect(await errorOf(none, to)).to.contain(`source ${none}: is not a data directory`)
    expect(await errorOf(`${none}.ndjson`, to)).to.equal(`source ${none}.ndjson: does not exist.`)
    expect(await errorOf(`${fileAsFolder}/x.ndjson`, to)).to.equal(
      `source ${fileAsFolder}/x.ndjson: cannot be read (ENOTDIR).`,
    )
    for (const path of [to, none]) expect(await readdir(dirname(path))).to.deep.equal([])
  })

  it('never shows a password', async () => {
    for (const side of [
      ...Object.values(databases).flatMap(({ unreachableUrls }) => unreachableUrls),
      'https://joe:s3cret@h/x.ndjson',
      '//joe:s3cret@h/x',
    ])
      for (const message of [await errorOf(side, await newPath('data')), await errorOf(await file(good), side)])
        expect(message).to.not.contain('transferred').and.not.contain('s3cret')
  })

  for (const [storage, { setting, freshDatabase }] of Object.entries(databases)) {
    const engine = process.env[setting]
    if (engine !== undefined)
      describe(`to ${storage}`, () => {
        const [incomplete, complete] = [freshDatabase(engine), freshDatabase(engine)]
        after(() => Promise.all([incomplete.drop(), complete.drop()]))

        it('says that an incomplete database must be dropped, and copies a file there and back byte for byte', async () => {
          const truncated = await file(good.replace(end(...rows), end()))
          expect(await errorOf(truncated, incomplete.url)).to.match(
            /Drop it if it is a database, then repeat the transfer\.$/,
          )
          must(await run(await file(good), complete.url))
          const back = await newPath('back')
          must(await run(complete.url, back))
          expect(await linesIn(back)).to.equal(good)
        }).timeout(60_000)
      })
  }

  describe('by npm run transfer', () => {
    it('reads TRANSFER_FROM and TRANSFER_TO, prefers the arguments, and exits with 0 and the number of rows', async () => {
      const [from, directory] = [await file(good), await newPath('data')]
      expect(await runTransfer({ TRANSFER_FROM: from, TRANSFER_TO: from }, '--to', directory)).to.deep.equal({
        code: 0,
        stderr: 'Rows transferred and compared: 3\n',
      })
    })

    it('exits with 1 and the reason when it fails, and with 64 and its usage for wrong arguments', async () => {
      const [from, to] = [await newPath('none'), await newPath('data')]
      const why = 'is not a data directory: it has no folder named snippets'
      expect(await runTransfer({}, '--from', from, '--to', to)).to.deep.equal({
        code: 1,
        stderr: `source ${from}: ${why}.\n`,
      })
      const { code, stderr } = await runTransfer({}, '--form=s3cret')
      expect(code).to.equal(64)
      expect(stderr)
        .to.match(/^Usage: npm run transfer -- --from SOURCE --to TARGET/)
        .and.not.contain('s3cret')
    })

    it('says what to do with the target when a signal ends it', async () => {
      const [from, to] = [await newPath('rows.ndjson'), await newPath('data')]
      execFileSync('mkfifo', [from])
      const script = join(root, 'apps/dist/commands/transfer.js')
      const child = spawn(process.execPath, [script, '--from', from, '--to', to], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = once(child, 'close')
      // opens when the command reads it
      const writer = await open(from, 'w')
      child.kill('SIGTERM')
      const [message] = await once(child.stderr, 'data')
      expect(String(message)).to.match(
        /^Interrupted\. Drop the target if .* was empty before, then repeat the transfer\.\n$/,
      )
      // the exit waits for reads in progress
      await writer.close()
      expect(await ended).to.deep.equal([143, null])
    })

    it('ends at a second signal while its exit waits for the disk', async () => {
      const [pipe, from, to] = [await newPath('pipe'), await newPath('rows.ndjson'), await newPath('data')]
      execFileSync('mkfifo', [pipe])
      await writeFile(from, fileOf(snippet('1')))
      const hanging = importing(`import { ClassicLevel } from ${JSON.stringify(import.meta.resolve('classic-level'))}
        import { open } from 'node:fs/promises'
        ClassicLevel.prototype.open = () => {
          process.stderr.write('opening')
          return open(${JSON.stringify(pipe)})
        }`)
      const script = join(root, 'apps/dist/commands/transfer.js')
      const child = killAtExit(
        spawn(process.execPath, [hanging, script, '--from', from, '--to', to], { stdio: ['ignore', 'ignore', 'pipe'] }),
      )
      const ended = once(child, 'close')
      let printed = ''
      child.stderr.on('data', text => {
        printed += text
      })
      for (const text of ['opening', 'Interrupted']) {
        await eventually(() => printed.includes(text))
        child.kill('SIGTERM')
        // the exit begins
        await pause(500)
      }
      expect(await ended).to.deep.equal([null, 'SIGTERM'])
    })

    it('shows the progress on a terminal, and removes it before its last line', async () => {
      const many = Array.from({ length: 1000 }, (_, index) => snippet(String(index + 1)))
      const [from, to, lines] = [await newPath('rows.ndjson'), await newPath('data'), fileOf(...many).split('\n')]
      execFileSync('mkfifo', [from])
      const terminal = ['--import', 'data:text/javascript,process.stderr.isTTY = true']
      const script = join(root, 'apps/dist/commands/transfer.js')
      const child = spawn(process.execPath, [...terminal, script, '--from', from, '--to', to], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let output = ''
      child.stderr.setEncoding('utf8').on('data', text => {
        output += text
      })
      const writer = await open(from, 'w')
      await writer.write(`${lines.slice(0, 700).join('\n')}\n`)
      await eventually(() => output.includes('Rows copied: 500, '))
      await writer.write(lines.slice(700).join('\n'))
      await writer.close()
      expect(await once(child, 'close')).to.deep.equal([0, null])
      const removed = '\x1b[2K\x1b[1G'
      expect(output.split(removed).at(-1)).to.equal('Rows transferred and compared: 1000\n')
    })

    describe('as root', () => {
      const uid = 12_345
      /** Creates a directory of another user, below a directory that only root can enter. */
      const foreignDirectory = async () => {
        const directory = await newPath('data')
        await mkdir(directory)
        await chown(directory, uid, uid)
        return directory
      }
      const ownersIn = async (folder: string) => {
        const paths = await readdir(folder, { recursive: true })
        expect(paths.length).to.be.above(3)
        return new Set(await Promise.all(paths.map(async path => (await stat(join(folder, path))).uid)))
      }
      before(function () {
        if (process.geteuid?.() !== 0) this.skip()
      })

      it('runs as the owner of the directory, or of the parent of a new one', async () => {
        const [from, directory] = [await file(good), await foreignDirectory()]
        await chmod(from, 0o600)
        for (const to of [directory, join(directory, 'new')]) {
          expect(await runTransfer({}, '--from', from, '--to', to)).to.include({ code: 0 })
          expect(await ownersIn(directory)).to.deep.equal(new Set([uid]))
        }
      })

      it('becomes the owner of the directory only as root, and not if its parent does not exist', async () => {
        const [directory, before] = [await foreignDirectory(), process.cwd()]
        const posix = process as Required<Pick<NodeJS.Process, 'geteuid' | 'setgroups' | 'setgid' | 'setuid'>>
        const ids: unknown[] = []
        for (const name of ['setgroups', 'setgid', 'setuid'] as const)
          mock.method(posix, name, (id: unknown) => void ids.push(id))
        mock.method(posix, 'geteuid', () => uid, { times: 1 })
        const paths = [becomeOwner(directory), becomeOwner(directory), process.cwd()]
        expect(paths).to.deep.equal([directory, '.', directory])
        expect(ids).to.deep.equal([[uid], uid, uid])
        process.chdir(before)
        mock.restoreAll()
        const [from, to] = [await file(good), await newPath('none/data')]
        expect(await errorOf(from, to)).to.equal(`target ${to}: its parent does not exist.`)
      })

      it('takes relative paths from the directory in which it was called', async () => {
        const directory = await foreignDirectory()
        await chmod(dirname(directory), 0o755)
        const [from, to] = [directory, join(directory, 'new')].map(path => relative(process.cwd(), path))
        expect((await runTransfer({}, '--from', await file(good), '--to', directory)).code).to.equal(0)
        expect((await runTransfer({}, '--from', from ?? '', '--to', to ?? '')).stderr).to.equal(
          'Rows transferred and compared: 3\n',
        )
      })

      it('follows no link of the owner to files of root', async () => {
        const [from, directory, secret] = [await file(good), await foreignDirectory(), await newDirectory()]
        await writeFile(join(secret, 'LOG'), 'of root')
        for (const name of ['snippets', 'snippets.unfinished']) await symlink(secret, join(directory, name))
        expect((await runTransfer({}, '--from', from, '--to', directory)).code).to.equal(1)
        await rm(join(directory, 'snippets'))
        expect((await runTransfer({}, '--from', from, '--to', directory)).code).to.equal(1)
        expect(await readdir(secret)).to.deep.equal(['LOG'])
        expect(await readFile(join(secret, 'LOG'), 'utf8')).to.equal('of root')
      })
    })
  })
})
