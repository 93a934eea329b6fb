import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rowLine } from '@snippets/apps/transfer/row-lines.js'
import { addressKinds, type Progress, transfer } from '@snippets/apps/transfer/transfer-rows.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { windowOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { everything } from '../contracts/storage/stream.js'
import { describeMongo, type FreshDatabase, freshDatabase } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'
import { directories, openDirectory } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const large = '9007199254740993'
const last = '9223372036854775806'
const header = (rows: number) => `{"kind":"head","row":{"format":"snippets-1","last_id":"${last}","rows":${rows}}}`
const user = '{"kind":"user","row":{"id":"3","username":"ada \\"l\\""}}'
/** Returns the text of a row. The id and the title may be invalid. */
const snippet = (id: string, title = 'a title') => {
  const content = draft({ code: '1234567890123456789', created_at: -5 })
  const row = { ...firstVersion(anId(1n), content), version: 7 }
  return rowLine({ kind: 'snippet', row }).trimEnd().replace('"id":"1"', `"id":"${id}"`).replace('a title', title)
}
const fileOf = (...rows: readonly string[]): string => [header(rows.length), ...rows, ''].join('\n')
const good = fileOf(user, snippet('5'), snippet(large, 'é 😀\u2028'))

type Run = Readonly<{ code: number | null; stderr: string }>

/** Runs the command with further environment variables. */
const runTransferWith = (variables: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Run> =>
  new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [join(root, 'apps/dist/commands/transfer.js'), ...args],
      { env: { ...process.env, ...variables } },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode, stderr }),
    )
  })

const runTransfer = (...args: readonly string[]): Promise<Run> => runTransferWith({}, ...args)

describe('A transfer', () => {
  const newDirectory = directories()
  const newPath = async (name: string): Promise<string> => join(await newDirectory(), name)

  const file = async (text: string | Uint8Array): Promise<string> => {
    const path = await newPath('rows.ndjson')
    await writeFile(path, text)
    return path
  }
  const run = (from: string, to: string, merge = false, progress: Progress = () => {}) =>
    transfer({ from, to, merge }, progress)
  const errorOf = (...given: Parameters<typeof run>): Promise<string> =>
    run(...given).then(
      rows => `${rows} rows were transferred`,
      error => error.message,
    )
  const storedRows = async (directory: string) => {
    const storage = await openDirectory(directory)
    const rows = await everything(storage.snippets)
    await storage.close()
    return rows
  }

  it('copies a file to a directory and back byte for byte, with snippets, users and the last id', async () => {
    const [directory, back] = [await newPath('data'), await newPath('back.ndjson')]
    expect(await run(await file(good), directory)).to.equal(3)
    await run(directory, back)
    expect(await readFile(back, 'utf8')).to.equal(good)
    const { snippets, users, close } = await openDirectory(directory)
    const rows = await everything(snippets)
    const { items } = must(await users.page(windowOf(1, 10))())
    const created = must(await snippets.create(draft())())
    await close()
    expect(rows.map(({ id, version, created_at }) => [id, version, created_at])).to.deep.equal([
      [5n, 7, -5],
      [BigInt(large), 7, -5],
    ])
    expect(items).to.deep.equal([{ id: 3n, username: 'ada "l"' }])
    expect(created.id).to.equal(BigInt(last) + 1n)
  })

  it('writes the values inside a field, such as a list of records', () => {
    const nested = { places: [{ file: 'a', line: 1 }] }
    const row = Object.assign(firstVersion(anId(1n), draft()), { language: nested })
    expect(JSON.parse(rowLine({ kind: 'snippet', row })).row.language).to.deep.equal(nested)
  })

  it('copies an empty directory to a file and to another directory', async () => {
    const [directory, path] = [await newDirectory(), await newPath('none.NDJSON')]
    await (await openDirectory(directory)).close()
    expect(await run(directory, path)).to.equal(0)
    expect(await run(path, await newPath('data'))).to.equal(0)
  })

  it('rejects a target that has or had rows, and adds missing rows with --merge, also repeatedly', async () => {
    const [directory, emptied] = [await newPath('data'), await newPath('emptied')]
    await run(await file(fileOf(snippet('5'), snippet('7'))), directory)
    await run(await file(fileOf()), emptied)
    const from = await file(good)
    for (const to of [directory, emptied])
      expect(await errorOf(from, to)).to.equal(`${to} is not empty. Name another target, or add --merge.`)
    for (const _ of [1, 2]) expect(await run(from, directory, true)).to.equal(3)
    expect((await storedRows(directory)).map(({ id }) => id)).to.deep.equal([5n, 7n, BigInt(large)])
  })

  it('rejects a merge when a row differs, and overwrites nothing', async () => {
    const directory = await newPath('data')
    await run(await file(good), directory)
    const other = await file(fileOf(snippet('5', 'other')))
    expect(await errorOf(other, directory, true)).to.equal(
      `snippet 5 differs between ${other} and ${directory}. Nothing was overwritten.`,
    )
    expect((await storedRows(directory))[0]?.title).to.equal('a title')
  })

  it('finishes an interrupted transfer with --merge', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => snippet(String(index + 1)))
    const [from, to] = [await file(fileOf(...rows)), await newPath('data')]
    const reported: string[] = []
    const interrupted = await errorOf(from, to, false, (step, rows) => {
      reported.push(`${step} ${rows}`)
      if (step === 'copying' && rows < 1000) throw new Error('interrupted')
    })
    expect(interrupted).to.equal('interrupted')
    const before = (await storedRows(to)).length
    expect(before).to.be.within(1, 999)
    expect(await run(from, to, true, (step, rows) => void reported.push(`${step} ${rows}`))).to.equal(1000)
    expect(reported.filter(text => text.startsWith('copying'))).to.have.length(4)
    expect(reported).to.include.members(['copying 500', 'copying 1000', 'comparing 1', 'comparing 1000'])
    expect(await storedRows(to)).to.have.length(1000)
  })

  it('reports the first error when a close fails too', async () => {
    const to = await newPath('data')
    const message = await errorOf(await file(good), to, false, step => {
      if (step !== 'copying') return
      // as root, the close looks for the owner of the directory
      rmSync(to, { recursive: true })
      throw new Error('interrupted')
    })
    expect(message).to.equal('interrupted')
  })

  it('fails when another process writes to the target', async () => {
    const [from, to] = [await file(good), await newPath('back.ndjson')]
    const change = () => writeFileSync(to, readFileSync(to, 'utf8').replace('a title', 'b title'), { flag: 'r+' })
    const message = await errorOf(from, to, false, step => step === 'copying' && change())
    expect(message).to.equal(`snippet 5 differs between ${from} and ${to}. Nothing was overwritten.`)
  })

  it('names a row that is missing in the target', async () => {
    const [from, to] = [await file(good), await newPath('back.ndjson')]
    const shorten = () => writeFileSync(to, fileOf(user, snippet('5')))
    const message = await errorOf(from, to, false, step => step === 'copying' && shorten())
    expect(message).to.contain(`snippet ${large} of ${from} is missing in ${to}.`)
  })

  it('never overwrites a file, even with --merge', async () => {
    const [from, to] = [await file(good), await file('mine')]
    for (const merge of [false, true])
      expect(await errorOf(from, to, merge)).to.equal(`${to}: exists already. Name a new file.`)
    expect(await readFile(to, 'utf8')).to.equal('mine')
  })

  for (const [what, text, why] of [
    ['is empty', '', 'is empty'],
    ['begins with a row', `${snippet('5')}\n`, 'line 1 is malformed'],
    ['is of another format', good.replace('snippets-1', 'snippets-2'), 'line 1 is malformed'],
    ['has a line that is not JSON', fileOf(user, '{"kind":"user"'), 'line 3 is malformed'],
    ['has a title that is too long', fileOf(snippet('5', 'x'.repeat(101))), 'line 2 is malformed'],
    ['has an id above 2^63 - 1', fileOf(snippet('9223372036854775808')), 'line 2 is malformed'],
    ['has an id without quotes', fileOf(snippet('5').replace('"5"', '5')), 'line 2 is malformed'],
    ['has a second header', fileOf(user, header(1)), 'line 3 is malformed'],
    ['has a line that never ends', `${header(1)}\n${' '.repeat(1_200_000)}`, 'line 2 is malformed'],
    ['has a snippet twice', fileOf(snippet('5'), snippet('5')), 'line 3 is not in order'],
    ['has a user after a snippet', fileOf(snippet('5'), user), 'line 3 is not in order'],
    ['lost a line', good.replace(`${user}\n`, ''), 'has 2 rows, but its header says 3'],
    ['lost half of its last line', good.slice(0, -20), 'line 4 is malformed'],
    ['has a line too many', good + snippet('9223372036854775807'), 'has 4 rows, but its header says 3'],
    ['is not UTF-8', Buffer.from(good, 'latin1'), 'The encoded data was not valid for encoding utf-8'],
  ] as const)
    it(`rejects a file that ${what}, and says why`, async () => {
      const from = await file(text)
      expect(await errorOf(from, await newPath('data'))).to.equal(`${from}: ${why}.`)
    })

  it('rejects a misspelled URL instead of taking it for a directory', async () => {
    for (const name of ['mongo://h/x', 'http+unix://h/x'])
      expect(await errorOf(name, await newPath('data'))).to.equal(
        `${name}: is neither ${addressKinds.join(' nor ')} nor an .ndjson file.`,
      )
  })

  it('rejects sources that do not exist, and creates none', async () => {
    for (const [name, why] of Object.entries({ none: 'is not a data directory', 'none.ndjson': 'does not exist.' })) {
      const from = await newPath(name)
      expect(await errorOf(from, await newPath('data'))).to.contain(`${from}: ${why}`)
      expect(await readdir(dirname(from))).to.deep.equal([])
    }
  })

  for (const side of [
    'mongodb://joe:s3cret@127.0.0.1:1/x?serverSelectionTimeoutMS=200',
    `mongodb://joe:s3c=r. e't/s3c=r. e't@h/x`,
    `joe:s3c=r. e't@h/x.ndjson`,
    'mongo://joe:s3cret@h/x',
    'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50&proxyPassword=s3cret',
  ])
    it(`never shows the password of ${side}`, async () => {
      for (const message of [await errorOf(side, await newPath('data')), await errorOf(await file(good), side)])
        expect(message)
          .to.match(/^\S*\*\*\*.*: \S/)
          .and.not.match(/s3c|e't/)
    })

  describeMongo('on MongoDB', engine => {
    let database: FreshDatabase
    beforeEach(() => {
      database = freshDatabase(engine)
    })
    afterEach(() => database.drop())

    it('copies a file to a database and back byte for byte, and again with --merge', async () => {
      const from = await file(good)
      await run(from, database.url)
      await run(from, database.url, true)
      const back = await newPath('back.ndjson')
      await run(database.url, back)
      expect(await readFile(back, 'utf8')).to.equal(good)
    })
  })

  describe('by npm run transfer', () => {
    it('exits with 0 and the number of rows, or with 1 and the reason', async () => {
      const [from, directory] = [await file(good), await newPath('data')]
      await run(from, directory)
      const args = ['--from', from, '--to', directory]
      const done = 'Rows transferred and compared: 3\n'
      const message = `${directory} is not empty. Name another target, or add --merge.\n`
      expect(await runTransfer(...args)).to.deep.equal({ code: 1, stderr: message })
      expect(await runTransfer(...args, '--merge')).to.deep.equal({ code: 0, stderr: done })
    })

    it('reads TRANSFER_FROM and TRANSFER_TO, and prefers the arguments', async () => {
      const [from, directory] = [await file(good), await newPath('data')]
      const done = { code: 0, stderr: 'Rows transferred and compared: 3\n' }
      expect(await runTransferWith({ TRANSFER_FROM: from, TRANSFER_TO: directory })).to.deep.equal(done)
      const to = await newPath('back.ndjson')
      expect(await runTransferWith({ TRANSFER_FROM: directory, TRANSFER_TO: from }, '--to', to)).to.deep.equal(done)
      expect(await readFile(to, 'utf8')).to.equal(good)
    })

    it('prints its usage for wrong arguments, and does not repeat them', async () => {
      for (const args of [
        ['--from', 's3cret', '--to', 's3cret'],
        ['--form=s3cret'],
        ['--from=s3cret'],
        ['--to=s3cret'],
      ]) {
        const { code, stderr } = await runTransfer(...args)
        expect(code).to.equal(64)
        expect(stderr).to.match(/^Usage: npm run transfer -- --from SOURCE --to TARGET/)
        expect(stderr).to.not.contain('s3cret')
      }
    })
  })
})
