import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openKeptRows } from '@snippets/adapters-memory/kept/kept-rows.js'
import { dataDirectory } from '@snippets/apps/data-directory.js'
import { expect } from 'chai'
import { everything } from '../../contracts/storage/stream.js'
import { directories, openKept } from '../../support/kept.js'
import { draft, must } from '../../support/snippets.js'
import { runTransfer } from '../../support/transfer.js'
import { root } from '../../support/workspace-root.js'

const header = '{"format":"snippets","version":1,"last_id":9223372036854775806}'
const user = '{"user":3,"username":"ada \\"l\\""}'
const snippet = (id: string, title = 'a title') =>
  `{"snippet":${id},"version":7,"created_at":"2026-01-02T03:04:05.678Z","title":"${title}","code":"1234567890123456789","language":"none"}`
const file = (...rows: readonly string[]): string => {
  const users = rows.filter(row => row.startsWith('{"user')).length
  return [header, ...rows, `{"end":{"users":${users},"snippets":${rows.length - users}}}`, ''].join('\n')
}
const large = '9007199254740993'
const good = file(user, snippet('5'), snippet(large, 'é 😀'))

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

  it('gives a service the snippets, the users and the next id', async () => {
    const directory = join(await newDirectory(), 'data')
    expect((await runTransfer(['--from', '-', '--to', directory], good)).code).to.equal(0)
    const storage = await openKept(directory)
    expect((await everything(storage.snippets)).map(({ id, version }) => [id, version])).to.deep.equal([
      [5n, 7],
      [9007199254740993n, 7],
    ])
    const { items } = must(await storage.users.page({ page: 1, size: 10 } as never)())
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

  const cut = (text: string, lines: number) => `${text.split('\n').slice(0, lines).join('\n')}\n`
  const bad: Readonly<Record<string, readonly [string, RegExp]>> = {
    'an empty file': ['', / line 1 is not the head of a snippets file\.$/m],
    'another file': ['{"a":1}\n', / line 1 is not the head of a snippets file\.$/m],
    'a file that begins with a snippet': [`${snippet('5')}\n`, / line 1 is not the head of a snippets file\.$/m],
    'a row that is neither': [file('{"a":1}'), / line 2 is neither a snippet nor a user\.$/m],
    'a count of snippets that is none': [
      good.replace('}\n', ',"snippets":-7}\n'),
      / line 1 is not the head of a snippets file: snippets must be a whole number\.$/m,
    ],
    'a file of a newer version': [
      header.replace(':1,', ':2,'),
      / line 1 says version 2, which a newer version of this/,
    ],
    'a line that is not JSON': [file(snippet('5'), '{"snippet":6'), / line 3 is not a JSON object\.$/m],
    'a snippet without code': [
      file(snippet('5').replace(/"code":"\d+",/, '')),
      / line 2 is not valid: code is required\.$/m,
    ],
    'a title that is too long': [
      file(snippet('5', 'x'.repeat(101))),
      / line 2 is not valid: title must be between 1 and 100/,
    ],
    'an id of 0': [file(snippet('0')), / line 2 is not valid: snippet must be an id from 1 to 9223372036854775807\.$/m],
    'an id past the last': [file(snippet('9223372036854775808')), / line 2 is not valid: snippet must be an id/],
    'an id with a fraction': [file(snippet('1.5')), / line 2 is not valid: snippet must be an id/],
    'a time that is none': [
      file(snippet('5').replace('-02T', '-42T')),
      / line 2 is not valid: created_at must be a time/,
    ],
    'an id that comes twice': [file(snippet('5'), snippet('5')), / line 3 is out of order: /],
    'a user after a snippet': [file(snippet('5'), user), / line 3 is out of order: /],
    'a second header': [file(snippet('5'), header), / line 3 is not where it belongs/],
    'a file that lost its end': [cut(good, 3), / ends after line 3 without its last line, so it has lost its end\.$/m],
    'a file that lost a line': [
      good.replace(`${snippet('5')}\n`, ''),
      / line 4 says 1 user and 2 snippets, but there are 1 and 1/,
    ],
    'lines after the end': [good + snippet('6'), / line 6 comes after the last line\.$/m],
    'a line without end': [`${header}\n${'x'.repeat(1 << 21)}`, / has a line of more than 1 MiB\.$/m],
  }
  for (const [what, [text, why]] of Object.entries(bad))
    it(`refuses ${what} with a sentence`, async () => {
      const directory = join(await newDirectory(), 'data')
      const { code, stderr } = await runTransfer(['--from', '-', '--to', directory], text)
      expect(code).to.equal(1)
      expect(stderr).to.match(why)
      expect(stderr.trimEnd().split('\n')).to.have.length(1)
    })

  const outOfRange = [
    '9223372036854775808',
    '99999999999999999999',
    '-5',
    '1.5',
    '1e2',
    '01',
    '"5"',
    `"${large}"`,
    'null',
  ]
  for (const lastId of outOfRange)
    it(`refuses a head whose last_id is ${lastId}, and leaves the target as it was`, async () => {
      const directory = join(await newDirectory(), 'data')
      expect((await runTransfer(['--from', '-', '--to', directory], good)).code).to.equal(0)
      const text = good.replace(/"last_id":\d+/, `"last_id":${lastId}`)
      const { code, stderr } = await runTransfer(['--from', '-', '--to', directory, '--merge'], text)
      expect(code).to.equal(1)
      expect(stderr).to.match(
        / line 1 is not the head of a snippets file(: last_id must be an integer from 0 to \d+)?\.\n$/,
      )
      expect(await rowsOf(directory)).to.have.length(2)
    })

  it('refuses a head without last_id', async () => {
    const text = good.replace(/,"last_id":\d+/, '')
    const { code, stderr } = await runTransfer(['--from', '-', '--to', join(await newDirectory(), 'data')], text)
    expect(code).to.equal(1)
    expect(stderr).to.match(/: last_id must be an integer from 0 to 9223372036854775807\.\n$/)
  })

  it('takes the count of snippets in the head for an estimate', async () => {
    const text = good.replace('}\n', ',"snippets":7}\n')
    expect((await runTransfer(['--from', '-', '--to', join(await newDirectory(), 'data')], text)).code).to.equal(0)
  })

  it('never gives a directory a last id beyond the largest one', async () => {
    const directory = await newDirectory()
    const rows = must(await openKeptRows(must(await dataDirectory(directory))))
    expect(await rows.raiseLastId(2n ** 63n)).to.deep.include({ _tag: 'Left' })
    expect(await rows.raiseLastId(2n ** 63n - 1n)).to.deep.include({ _tag: 'Right' })
    await rows.close()
    expect(await rowsOf(directory)).to.deep.equal([])
  })

  it('refuses a file that is not UTF-8', async () => {
    const path = join(await newDirectory(), 'rows.ndjson')
    await writeFile(path, Buffer.concat([Buffer.from(`${header}\n`), Buffer.from([0xff, 0xfe])]))
    const { code, stderr } = await runTransfer(['--from', path, '--to', '-'])
    expect(code).to.equal(1)
    expect(stderr).to.equal(`${path} is not UTF-8.\n`)
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
    const { code, stderr } = await runTransfer(['--from', '-', '--to', path], cut(good, 3))
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

  it('refuses sources that do not exist, and makes none', async () => {
    const folder = await newDirectory()
    for (const name of ['none', 'none.ndjson']) {
      const { code, stderr } = await runTransfer(['--from', join(folder, name), '--to', '-'])
      expect(code).to.equal(1)
      expect(stderr).to.match(/(does not exist|it has no folder snippets)\.\n$/)
    }
  })

  it('never shows a password', async () => {
    const url = 'mongodb://ann:hush@127.0.0.1:1/x?serverSelectionTimeoutMS=200'
    const { code, stderr } = await runTransfer(['--from', url, '--to', '-'])
    expect(code).to.equal(1)
    expect(stderr).to.match(/^mongodb:\/\/\*\*\*@127\.0\.0\.1:1\/x\?serverSelectionTimeoutMS=200 failed \(.+\)\.\n$/)
    expect(stderr).to.not.contain('hush')
  })

  const secret = "s3c=r. e't"
  for (const end of [
    `mongodb:/joe:${secret}@h/x`,
    `mongodb:joe:${secret}@h/x`,
    `joe:${secret}@h/x`,
    `joe:${secret}@h/x.ndjson`,
    `mongodb://joe:${secret}/${secret}@h/x`,
  ]) {
    it(`never shows the password of ${end}`, async () => {
      for (const args of [
        ['--from', end, '--to', '-'],
        ['--from', '-', '--to', end],
        ['--from', end, '--to', end, end],
        [`--form=${end}`],
        [`--${end}`],
        [`-${end}`],
        [`--merge=${end}`],
      ]) {
        const { code, stdout, stderr } = await runTransfer(args, good)
        expect(code, stderr).to.be.oneOf([1, 64])
        expect(stdout + stderr).to.not.match(/s3c|e't/)
      }
    })
  }

  it('says why a path with an @ cannot be used', async () => {
    const { stderr } = await runTransfer(['--from', '-', '--to', 'joe:s3cret@h/x.ndjson'], good)
    expect(stderr).to.equal('***@h/x.ndjson cannot be written (ENOENT: no such file or directory).\n')
  })

  it('refuses a file below a file with a sentence', async () => {
    const path = join(await newDirectory(), 'file')
    await writeFile(path, '')
    const { code, stderr } = await runTransfer(['--from', '-', '--to', `${path}/x.ndjson`], good)
    expect(code).to.equal(1)
    expect(stderr).to.equal(`${path}/x.ndjson cannot be written (ENOTDIR: not a directory).\n`)
  })

  it('refuses a path that is too long with a sentence', async () => {
    for (const [name, why] of [
      ['x', 'cannot be used (ENAMETOOLONG)'],
      ['.ndjson', 'cannot be written (ENAMETOOLONG: name too long)'],
    ] as const) {
      const { code, stderr } = await runTransfer(['--from', '-', '--to', `u:s3cret@${'x'.repeat(300)}${name}`], good)
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `***@${'x'.repeat(300)}${name} ${why}.\n` })
    }
  })

  it('names standard input for a malformed line of it, and counts a single row', async () => {
    const directory = join(await newDirectory(), 'data')
    const { stderr } = await runTransfer(['--from', '-', '--to', directory], file(snippet('0')))
    expect(stderr).to.match(/^standard input line 2 is not valid: /)
    const one = await runTransfer(['--from', '-', '--to', directory], file(snippet('5')))
    expect(one.stderr).to.match(/^Carried over and checked: 1 row, SHA-256 /)
  })

  for (const [args, why] of [
    [[], 'Both --from and --to are needed.'],
    [['--from', 'a'], 'Both --from and --to are needed.'],
    [['--from', 'a', '--to', 'a'], '--from and --to are the same.'],
    [['--form', 'a'], "Unknown option '--form'."],
    [['a'], "Unexpected argument 'a'."],
    [['mongodb://u:s3cret@h/'], "Unexpected argument 'mongodb://***@h/'."],
    [['--from'], "Option '--from <value>' argument missing."],
  ] as const)
    it(`refuses the arguments ${JSON.stringify(args)} with a sentence and 64`, async () => {
      const { code, stdout, stderr } = await runTransfer(args)
      expect({ code, stdout }).to.deep.equal({ code: 64, stdout: '' })
      expect(stderr.split('\n')[0]).to.equal(why)
      expect(stderr).to.contain('Usage: npm run transfer -- --from SOURCE --to TARGET')
    })

  it('explains itself with --help', async () => {
    const { code, stdout, stderr } = await runTransfer(['--help'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(/^Usage: npm run transfer -- /)
    expect(stdout).to.contain('With --to - run it as npm run --silent transfer')
  })
})
