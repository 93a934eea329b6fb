import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { everything } from '../contracts/storage/stream.js'
import { directories, openKept } from '../support/kept.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'
import { runTransfer } from '../support/transfer.js'
import { root } from '../support/workspace-root.js'

const large = '9007199254740993'
const last = '9223372036854775806'
const head = (rows: number) => `{"kind":"head","row":{"format":"snippets-1","last_id":"${last}","rows":${rows}}}`
const user = '{"kind":"user","row":{"id":"3","username":"ada \\"l\\""}}'
const snippet = (id: string, title = 'a title') =>
  `{"kind":"snippet","row":{"id":"${id}","title":"${title}","code":"1234567890123456789","language":"none","created_at":-5,"version":7}}`
const fileOf = (...rows: readonly string[]): string => [head(rows.length), ...rows, ''].join('\n')
const good = fileOf(user, snippet('5'), snippet(large, 'é 😀\u2028'))

describe('npm run transfer', function () {
  this.timeout(60_000)
  const newDirectory = directories()

  const file = async (text: string): Promise<string> => {
    const path = join(await newDirectory(), 'rows.ndjson')
    await writeFile(path, text)
    return path
  }
  const newPath = async (name: string): Promise<string> => join(await newDirectory(), name)

  const passes = async (from: string, to: string, ...options: readonly string[]): Promise<string> => {
    const { code, stderr } = await runTransfer('--from', from, '--to', to, ...options)
    expect(code, stderr).to.equal(0)
    return stderr
  }
  const fails = async (from: string, to: string, ...options: readonly string[]): Promise<string> => {
    const { code, stderr } = await runTransfer('--from', from, '--to', to, ...options)
    expect(code, stderr).to.equal(1)
    return stderr
  }
  const fill = async (directory: string, thousands: number): Promise<void> => {
    const storage = await openKept(directory)
    for (let i = 0; i < thousands; i++)
      for (const created of await Promise.all(Array.from({ length: 1000 }, () => storage.snippets.create(draft())())))
        must(created)
    await storage.close()
  }
  const rowsOf = async (directory: string) => {
    const storage = await openKept(directory)
    const rows = await everything(storage.snippets)
    await storage.close()
    return rows
  }

  it('carries a file to a directory and back, to the last byte', async () => {
    const directory = await newPath('data')
    expect(await passes(await file(good), directory)).to.equal('Carried over and compared: the target has 3 rows\n')
    const back = await newPath('back.ndjson')
    await passes(directory, back)
    expect(await readFile(back, 'utf8')).to.equal(good)
  })

  it('gives a service the snippets, the users and the next id', async () => {
    const directory = await newPath('data')
    await passes(await file(good), directory)
    const storage = await openKept(directory)
    const kept = await everything(storage.snippets)
    expect(kept.map(({ id, version, created_at }) => [id, version, created_at])).to.deep.equal([
      [5n, 7, -5],
      [BigInt(large), 7, -5],
    ])
    const { items } = must(await storage.users.page(windowOf(1, 10))())
    expect(items).to.deep.equal([{ id: 3n, username: 'ada "l"' }])
    expect(must(await storage.snippets.create(draft())()).id).to.equal(BigInt(last) + 1n)
    await storage.close()
  })

  it('carries a directory that never had a row to a file and to another directory', async () => {
    const [directory, path] = [await newDirectory(), await newPath('none.ndjson')]
    await fill(directory, 0)
    await passes(directory, path)
    expect(await passes(path, await newPath('data'))).to.contain('the target has 0 rows')
  })

  it('refuses a target that is not empty; with --merge it adds what is missing, time after time', async () => {
    const directory = await newPath('data')
    await passes(await file(fileOf(snippet('5'), snippet('7'))), directory)
    const from = await file(good)
    expect(await fails(from, directory)).to.equal(`${directory} is not empty. Name another target, or add --merge.\n`)
    for (const _ of [1, 2]) expect(await passes(from, directory, '--merge')).to.contain('the target has 4 rows')
    expect((await rowsOf(directory)).map(({ id }) => id)).to.deep.equal([5n, 7n, BigInt(large)])
  })

  it('refuses a target whose rows are gone but that has assigned ids', async () => {
    const directory = await newPath('data')
    await passes(await file(fileOf()), directory)
    expect(await fails(await file(good), directory)).to.contain('is not empty')
  })

  it('refuses to merge a row that is there with another content, and overwrites nothing', async () => {
    const directory = await newPath('data')
    await passes(await file(good), directory)
    const other = await file(fileOf(snippet('5', 'other')))
    expect(await fails(other, directory, '--merge')).to.equal(
      `snippet 5 differs between ${other} and ${directory}. Nothing was overwritten.\n`,
    )
    expect((await rowsOf(directory))[0]?.title).to.equal('a title')
  })

  it('can be killed and run again with --merge', async () => {
    const from = await newDirectory()
    const to = await newPath('data')
    await fill(from, 10)
    const args = [join(root, 'apps/dist/transfer.js'), '--from', from, '--to', to, '--merge']
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, args, { stdio: 'ignore' })
      setTimeout(() => child.kill('SIGKILL'), 300 + 100 * kill)
      await once(child, 'close')
    }
    expect(await passes(from, to, '--merge')).to.contain('the target has 10000 rows')
    expect(await rowsOf(to)).to.deep.equal(await rowsOf(from))
  })

  it('writes no file over another, also with --merge', async () => {
    const [from, to] = [await file(good), await file('mine')]
    for (const options of [[], ['--merge']])
      expect(await fails(from, to, ...options)).to.equal(`${to} exists already. Name a new file.\n`)
    expect(await readFile(to, 'utf8')).to.equal('mine')
  })

  it('refuses a directory that a service runs on', async () => {
    const directory = await newDirectory()
    const storage = await openKept(directory)
    const why = await fails(directory, await newPath('rows.ndjson'))
    await storage.close()
    expect(why).to.equal(`${directory} is in use by another process. Stop that one, or use another directory.\n`)
  })

  const malformed: Readonly<Record<string, readonly [string, string]>> = {
    'is empty': ['', 'is empty'],
    'begins with a row': [`${snippet('5')}\n`, 'is malformed in line 1'],
    'is of another format': [good.replace('snippets-1', 'snippets-2'), 'is malformed in line 1'],
    'has a line that is not JSON': [fileOf(user, '{"kind":"user"'), 'is malformed in line 3'],
    'has a row of an unknown kind': [fileOf('{"kind":"key","row":{}}'), 'is malformed in line 2'],
    'has a snippet without a field': [fileOf(snippet('5').replace('"language":"none",', '')), 'is malformed in line 2'],
    'has a title that is too long': [fileOf(snippet('5', 'x'.repeat(101))), 'is malformed in line 2'],
    'has an id of 0': [fileOf(snippet('0')), 'is malformed in line 2'],
    'has an id past the last': [fileOf(snippet('9223372036854775808')), 'is malformed in line 2'],
    'has an id without quotes': [fileOf(snippet('5').replace('"5"', '5')), 'is malformed in line 2'],
    'has a second head': [fileOf(user, head(1)), 'is malformed in line 3'],
    'has a line that never ends': [`${head(1)}\n${' '.repeat(1_200_000)}`, 'is malformed in line 2'],
    'lost a line': [good.replace(`${user}\n`, ''), 'has 2 whole rows, but its head says 3'],
    'lost half of its last line': [good.slice(0, -20), 'has 2 whole rows, but its head says 3'],
    'has a line too many': [good + user, 'has 3 whole rows, but its head says 3'],
  }
  for (const [what, [text, why]] of Object.entries(malformed))
    it(`refuses a file that ${what}, and says where`, async () => {
      const from = await file(text)
      expect(await fails(from, await newPath('data'))).to.equal(`${from} ${why}.\n`)
    })

  it('refuses a file that is not UTF-8', async () => {
    const from = await newPath('rows.ndjson')
    await writeFile(from, Buffer.from(good, 'latin1'))
    expect(await fails(from, await newPath('data'))).to.contain('cannot be read or written (ERR_ENCODING')
  })

  it('refuses sources that do not exist, and makes none', async () => {
    for (const name of ['none', 'none.ndjson']) {
      const from = await newPath(name)
      expect(await fails(from, await newPath('data'))).to.match(/ENOENT|is not a data directory|does not exist/)
      expect(await readFile(from).catch(({ code }) => code)).to.equal('ENOENT')
    }
  })

  const secret = "s3c=r. e't"
  for (const side of [
    'mongodb://joe:s3cret@127.0.0.1:1/x?serverSelectionTimeoutMS=200',
    `joe:${secret}@h/x.ndjson`,
    `mongodb://joe:${secret}/${secret}@h/x`,
  ])
    it(`never shows the password of ${side}`, async () => {
      const from = await file(good)
      for (const args of [
        ['--from', side, '--to', await newPath('data')],
        ['--from', from, '--to', side],
        ['--from', side, '--to', side],
        [`--form=${side}`],
        [side],
      ]) {
        const { code, stderr } = await runTransfer(...args)
        expect(code, stderr).to.be.oneOf([1, 64])
        expect(stderr).to.not.match(/s3c|e't/)
      }
    })

  for (const args of [[], ['--from', 'a'], ['--from', 'a', '--to', 'a'], ['--form', 'a'], ['a'], ['--help']])
    it(`prints its usage for the arguments ${JSON.stringify(args)}, and exits with 64`, async () => {
      const { code, stderr } = await runTransfer(...args)
      expect(code).to.equal(64)
      expect(stderr).to.match(/^Usage: npm run transfer -- --from SOURCE --to TARGET/)
    })

  describeMongo('on MongoDB', engine => {
    let database: TestDatabase
    beforeEach(() => {
      database = freshDatabase(engine)
    })
    afterEach(() => database.drop())

    it('carries a file to a database and back, to the last byte, and again with --merge', async () => {
      const from = await file(good)
      await passes(from, database.url)
      await passes(from, database.url, '--merge')
      const back = await newPath('back.ndjson')
      await passes(database.url, back)
      expect(await readFile(back, 'utf8')).to.equal(good)
    })

    it('names a row that differs', async () => {
      await passes(await file(good), database.url)
      const store = must(await openMongoRows(database.url)())
      await store.add([{ kind: 'user', row: { id: anId(4n), username: 'other' } }])()
      await store.close()
      const from = await file(fileOf(user.replace('"3"', '"4"')))
      expect(await fails(from, database.url, '--merge')).to.match(/^user 4 differs between .*Nothing was overwritten/)
    })
  })
})
