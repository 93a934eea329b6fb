import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { everything } from '../../contracts/storage/stream.js'
import { directories, openKept } from '../../support/kept.js'
import { draft, must } from '../../support/snippets.js'
import { runTransfer } from '../../support/transfer.js'
import { root } from '../../support/workspace-root.js'
import { file, firstLines, good, snippet } from './files.js'

describe('npm run transfer', () => {
  const newDirectory = directories()

  const fill = async (directory: string, count: number): Promise<void> => {
    const storage = await openKept(directory)
    await Promise.all(
      Array.from({ length: count }, (_, i) => storage.snippets.create(draft({ title: `title ${i}` }))()),
    )
    await storage.close()
  }
  const rowsOf = async (directory: string) => {
    const storage = await openKept(directory)
    const rows = await everything(storage.snippets)
    await storage.close()
    return rows
  }

  it('carries a file to a directory and back, to the last byte', async () => {
    const directory = join(await newDirectory(), 'data')
    const there = await runTransfer(['--from', '-', '--to', directory], good)
    expect(there.code, there.stderr).to.equal(0)
    expect(there.stderr).to.match(/^Carried over and checked: 3 rows, SHA-256 [0-9a-f]{64}\n$/m)
    const back = await runTransfer(['--from', directory, '--to', '-'])
    expect(back.code, back.stderr).to.equal(0)
    expect(back.stdout.split('\n').slice(1)).to.deep.equal(good.split('\n').slice(1))
    expect(back.stdout).to.match(/^{"format":"snippets","version":1,"last_id":9223372036854775806,"snippets":2}\n/)
  })

  it('takes a file with a byte order mark, CRLF, blank lines and no last line break', async () => {
    const directory = join(await newDirectory(), 'data')
    const text = `\ufeff${good.trimEnd().replaceAll('\n', '\r\n\r\n')}`
    const { code, stderr } = await runTransfer(['--from', '-', '--to', directory], text)
    expect(code, stderr).to.equal(0)
    const back = await runTransfer(['--from', directory, '--to', '-'])
    expect(back.stdout.split('\n').slice(1)).to.deep.equal(good.split('\n').slice(1))
  })

  it('gives a service the snippets, the users and the next id', async () => {
    const directory = join(await newDirectory(), 'data')
    expect((await runTransfer(['--from', '-', '--to', directory], good)).code).to.equal(0)
    const storage = await openKept(directory)
    expect((await everything(storage.snippets)).map(({ id, version }) => [id, version])).to.deep.equal([
      [5n, 7],
      [9007199254740993n, 7],
    ])
    const { items } = must(await storage.users.page(windowOf(1, 10))())
    expect(items).to.deep.equal([{ id: 3n, username: 'ada "l"' }])
    expect(must(await storage.snippets.create(draft())()).id).to.equal(9223372036854775807n)
    await storage.close()
  })

  it('carries a directory to a file and to another directory', async () => {
    const [one, other] = [await newDirectory(), await newDirectory()]
    await fill(one, 1500)
    const path = join(other, 'all.ndjson')
    const toFile = await runTransfer(['--from', one, '--to', path])
    expect(toFile.code, toFile.stderr).to.equal(0)
    const target = join(other, 'data')
    const toDirectory = await runTransfer(['--from', path, '--to', target])
    expect(toDirectory.code, toDirectory.stderr).to.equal(0)
    expect(toDirectory.stderr).to.equal(toFile.stderr)
    expect(await rowsOf(target)).to.deep.equal(await rowsOf(one))
  })

  it('refuses a target that is not empty; with --merge it adds what is missing', async () => {
    const directory = join(await newDirectory(), 'data')
    await runTransfer(['--from', '-', '--to', directory], file(snippet('5')))
    const refused = await runTransfer(['--from', '-', '--to', directory], good)
    expect(refused).to.deep.include({ code: 1 })
    expect(refused.stderr).to.equal(
      `${directory} is not empty. Name an empty one, or add --merge to add what it does not have.\n`,
    )
    for (const _ of [1, 2])
      expect((await runTransfer(['--from', '-', '--to', directory, '--merge'], good)).code).to.equal(0)
    expect(await rowsOf(directory)).to.have.length(2)
  })

  it('refuses to merge a row that is there with another content, and overwrites nothing', async () => {
    const directory = join(await newDirectory(), 'data')
    await runTransfer(['--from', '-', '--to', directory], good)
    const other = file(snippet('5', 'other'))
    const { code, stderr } = await runTransfer(['--from', '-', '--to', directory, '--merge'], other)
    expect(code).to.equal(1)
    expect(stderr).to.equal(`snippet 5 differs between standard input and ${directory}. Nothing was overwritten.\n`)
    expect((await rowsOf(directory))[0]?.title).to.equal('a title')
  })

  it('takes the count of snippets in the head for an estimate', async () => {
    const text = good.replace('}\n', ',"snippets":7}\n')
    expect((await runTransfer(['--from', '-', '--to', join(await newDirectory(), 'data')], text)).code).to.equal(0)
  })

  it('has carried over what comes before a malformed line, and goes on with --merge', async () => {
    const directory = join(await newDirectory(), 'data')
    const broken = file(snippet('5'), snippet('6').replace('{', '['))
    expect((await runTransfer(['--from', '-', '--to', directory], broken)).code).to.equal(1)
    expect(await rowsOf(directory)).to.have.length(1)
    const mended = file(snippet('5'), snippet('6'))
    expect((await runTransfer(['--from', '-', '--to', directory, '--merge'], mended)).code).to.equal(0)
    expect(await rowsOf(directory)).to.have.length(2)
  })

  it('can be killed and run again with --merge', async function () {
    this.timeout(60_000)
    const from = await newDirectory()
    const to = join(await newDirectory(), 'data')
    await fill(from, 20_000)
    const args = ['--from', from, '--to', to, '--merge']
    for (let kill = 0; kill < 4; kill++) {
      const child = spawn(process.execPath, [join(root, 'apps/dist/transfer.js'), ...args], { stdio: 'ignore' })
      setTimeout(() => child.kill('SIGKILL'), 250 + 60 * kill)
      await once(child, 'close')
    }
    const { code, stderr } = await runTransfer(args)
    expect(code, stderr).to.equal(0)
    expect(await rowsOf(to)).to.deep.equal(await rowsOf(from))
  })

  it('leaves no half-written file behind', async () => {
    const from = await newDirectory()
    const path = join(from, 'rows.ndjson')
    const { code, stderr } = await runTransfer(['--from', '-', '--to', path], firstLines(good, 3))
    expect(code, stderr).to.equal(1)
    for (const name of [path, `${path}.unfinished`])
      expect(await readFile(name).catch(({ code: why }) => why)).to.equal('ENOENT')
  })

  it('writes a new file with --merge too, also over what a killed run left unfinished', async () => {
    const [from, other] = [await newDirectory(), await newDirectory()]
    await fill(from, 3)
    const path = join(other, 'rows.ndjson')
    await writeFile(`${path}.unfinished`, good.repeat(100))
    const { code, stderr } = await runTransfer(['--from', from, '--to', path, '--merge'])
    expect(code, stderr).to.equal(0)
    expect(stderr).to.match(/^Carried over and checked: 3 rows, /)
    expect((await readFile(path, 'utf8')).split('\n')).to.have.length(6)
    const again = await runTransfer(['--from', from, '--to', path, '--merge'])
    expect(again).to.deep.include({ code: 1, stderr: `${path} exists already. Name a new file.\n` })
  })

  it('refuses a directory that a service runs on', async () => {
    const directory = await newDirectory()
    const storage = await openKept(directory)
    const { code, stderr } = await runTransfer(['--from', directory, '--to', '-'])
    await storage.close()
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `${directory} is in use by another process. Stop that one, or use another directory.\n`,
    })
  })
})
