import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { basename, join } from 'node:path'
import { mock } from 'node:test'
import { openDirectorySource } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { failureOf } from '../../contracts/storage/row-store-contract.js'
import { everything } from '../../contracts/storage/stream.js'
import { draft, must } from '../../support/snippets.js'
import { directories, openDirectory, tryDirectory } from '../../support/storage/data-directory.js'

const headerKey = '0'
describe('A data directory', () => {
  const newDirectory = directories()

  const fill = async (directory: string): Promise<void> => {
    const storage = await openDirectory(directory)
    for (let i = 0; i < 3; i++) {
      const keyed = { key: randomUUID(), fingerprint: 'f' }
      must(await storage.snippets.createOnce(draft({ title: `title ${i}`, code: 'x'.repeat(300) }), keyed)())
    }
    await storage.close()
  }
  const filled = async (): Promise<string> => {
    const directory = join(await newDirectory(), 'data')
    await fill(directory)
    return directory
  }
  const countIn = async (directory: string): Promise<number> => {
    const storage = await openDirectory(directory)
    const { length } = await everything(storage.snippets)
    await storage.close()
    return length
  }
  const editing = async (directory: string, edit: (level: ClassicLevel) => Promise<void>): Promise<void> => {
    const level = new ClassicLevel(join(directory, 'snippets'))
    await edit(level)
    await level.close()
  }
  const eachFile = async (directory: string, pattern: RegExp, change: (file: string) => Promise<void>) => {
    const inside = join(directory, 'snippets')
    const names = (await fs.readdir(inside)).filter(name => pattern.test(name))
    expect(names).to.not.deep.equal([])
    for (const name of names) await change(join(inside, name))
  }
  const flip = async (file: string, at: number): Promise<void> => {
    const bytes = await fs.readFile(file)
    bytes[at] = (bytes[at] ?? 0) ^ 0x55
    await fs.writeFile(file, bytes)
  }
  const openError = (directory: string): Promise<string> => failureOf(() => tryDirectory(directory))

  it('may hold other files, which stay beside its folder snippets', async () => {
    const directory = join(await newDirectory(), 'data')
    await fs.mkdir(directory, { mode: 0o755 })
    for (const name of ['000001.log', 'lost+found', 'CURRENT']) await fs.writeFile(join(directory, name), 'mine')
    const put = mock.method(ClassicLevel.prototype, 'put')
    await fill(directory).finally(() => put.mock.restore())
    expect(await fs.readdir(directory)).to.have.members(['000001.log', 'lost+found', 'CURRENT', 'snippets'])
    // a power cut leaves no folder without a header
    expect(put.mock.calls.map(call => [...call.arguments].at(-1))).to.deep.equal([{ sync: true }])
    // other users of the machine cannot read it
    expect((await fs.stat(join(directory, 'snippets'))).mode & 0o777).to.equal(0o700)
    expect(await countIn(directory)).to.equal(3)
  })

  it('that is new survives a loss of power', async () => {
    const above = await newDirectory()
    const directory = join(above, 'data')
    const file = await fs.open(above)
    const synced: string[] = []
    mock.method(Object.getPrototypeOf(file), 'sync', async function (this: fs.FileHandle) {
      const { ino } = await this.stat()
      for (const folder of [above, directory])
        if ((await fs.stat(folder)).ino === ino) synced.push(folder, ...(await fs.readdir(folder)))
    })
    await fill(directory).finally(() => mock.reset())
    await file.close()
    expect(synced).to.deep.equal([above, 'data', directory, 'snippets'])
  })

  it('is completed by the next start if the first start was interrupted', async () => {
    const directory = join(await newDirectory(), 'data')
    await fs.mkdir(join(directory, 'snippets.unfinished'), { recursive: true })
    for (const name of ['LOCK', 'LOG', 'MANIFEST-000001'])
      await fs.writeFile(join(directory, 'snippets.unfinished', name), '')
    await fill(directory)
    expect(await fs.readdir(directory)).to.deep.equal(['snippets'])
    // a power cut may undo a rename
    await fs.rename(join(directory, 'snippets'), join(directory, 'snippets.unfinished'))
    expect(await countIn(directory)).to.equal(3)
  })

  it('opens if another process creates it meanwhile', async () => {
    const [other, directory] = [await filled(), join(await newDirectory(), 'data')]
    const put = mock.method(ClassicLevel.prototype, 'put', async () => {
      await fs.rename(join(other, 'snippets'), join(directory, 'snippets'))
      throw new Error('the other process has renamed the folder')
    })
    expect(await countIn(directory).finally(() => put.mock.restore())).to.equal(3)
  })

  it('opens only once when several storages open it at the same time', async () => {
    const directory = join(await newDirectory(), 'data')
    for (let round = 0; round < 2; round++) {
      const opened = await Promise.all([1, 2, 3].map(() => tryDirectory(directory)))
      const storages = opened.flatMap(one => (one._tag === 'Right' ? [one.right] : []))
      expect(storages).to.have.length(1)
      for (const one of opened)
        if (one._tag === 'Left')
          expect(one.left.fault).to.equal('is in use by another process. Stop that process, or use another directory')
      for (const storage of storages) await storage.close()
    }
  })

  it('does not open if it is a file, or if its parent is missing', async () => {
    const above = await newDirectory()
    await fs.writeFile(join(above, 'file'), '')
    expect(await openError(join(above, 'file'))).to.match(/^cannot be used \(ENOTDIR: not a directory/)
    await fs.symlink('loop', join(above, 'loop'))
    expect(await failureOf(openDirectorySource(join(above, 'loop')))).to.match(/^cannot be used \(ELOOP: /)
    for (const missing of [join(above, 'none', 'data'), '/proc', '/proc/none'])
      expect(await openError(missing)).to.match(/^cannot be used \(ENOENT: no such file or directory/)
  })

  it('opens if another process creates it at the same time', async () => {
    const directory = join(await newDirectory(), 'data')
    const { close } = ClassicLevel.prototype
    mock.method(ClassicLevel.prototype, 'close', async function (this: ClassicLevel) {
      mock.reset()
      await close.call(this)
      await fill(directory)
    })
    expect(await countIn(directory)).to.equal(3)
  })

  it('does not open if its rows cannot be read', async () => {
    const directory = await filled()
    const { iterator } = ClassicLevel.prototype
    mock.method(ClassicLevel.prototype, 'iterator', function (this: ClassicLevel) {
      const rows = iterator.call(this, {})
      mock.method(rows, 'nextv').mock.mockImplementationOnce(() => Promise.reject(new Error('broken')), 1)
      return rows
    })
    expect(await openError(directory).finally(() => mock.reset())).to.match(/^cannot be used \(broken\)/)
  })

  const rowKeys = ['20000000000000000001', '20000000000000000002'] as const
  const put = (key: string, text: string) => (directory: string) => editing(directory, level => level.put(key, text))

  /** The message, and the function that causes the damage. */
  const damage: Readonly<Record<string, readonly [message: RegExp, harm: (directory: string) => Promise<void>]>> = {
    'has a broken manifest': [/^is damaged \(/, directory => eachFile(directory, /^MANIFEST/, file => flip(file, 10))],
    'has a broken table': [
      /^is damaged \(/,
      async directory => {
        // a restart moves the log into a table
        await editing(directory, level => level.open())
        await eachFile(directory, /\.ldb$/, file => flip(file, 300))
      },
    ],
    'lacks its file CURRENT': [
      /^cannot be used \(.*\/snippets.*\)\. Check .* If it lost a file, restore a backup$/,
      directory => eachFile(directory, /^CURRENT/, file => fs.rm(file)),
    ],
    'lacks its header': [
      /^is damaged \(its header is unreadable\)\. Restore it from a backup, or move it away to start without snippets$/,
      directory => editing(directory, level => level.del(headerKey)),
    ],
    'has an unreadable header': [/its header is unreadable/, put(headerKey, '{')],
    'has a header with an impossible id': [
      /its header is unreadable/,
      put(headerKey, '{"format":1,"lastId":"9223372036854775808","rows":6,"sum":0}'),
    ],
    'is of a newer version': [
      /^has the newer format 1000\. Start the version of the service that wrote it$/,
      put(headerKey, '{"format":1000,"other":[]}'),
    ],
    'has a row of an unknown kind': [/it holds a row of an unknown kind/, put('9', '{}')],
    'has a row with a malformed id': [/it holds a row of kind snippet with a malformed id/, put('20', '{}')],
    'has a row without JSON': [/it holds snippet 2 with malformed JSON/, put(rowKeys[1], '{')],
    'has a row with malformed fields': [
      /it holds snippet 2 with a malformed title, language, created_at, version\)/,
      put(rowKeys[1], '{"title":"","code":"secret"}'),
    ],
    'lacks a row': [
      /its rows do not match its header: 5 of 6 were read/,
      directory => editing(directory, level => level.del(rowKeys[1])),
    ],
    'has two snippets that changed places': [
      /its rows do not match its header: 6 of 6 were read/,
      directory =>
        editing(directory, async level => {
          const [a = '', b = ''] = await level.getMany([...rowKeys])
          await level.put(rowKeys[0], b)
          await level.put(rowKeys[1], a)
        }),
    ],
  }

  for (const [what, [message, harm]] of Object.entries(damage))
    it(`that ${what} is rejected at each start`, async () => {
      const directory = await filled()
      await harm(directory)
      for (let start = 0; start < 2; start++) expect(await openError(directory)).to.match(message)
    })

  it('does not open, and changes nothing, while its log cannot be read', async () => {
    const directory = await filled()
    // the restart moves the log into a table, so that the new log holds only the later snippets
    await fill(directory)
    await eachFile(directory, /\.log$/, async log => {
      await fs.rename(log, join(directory, 'aside'))
      // reading a folder fails, as reading a bad sector does
      await fs.mkdir(log)
      const reason = `^cannot be used \\(${basename(log)}: EISDIR.*the disk works`
      for (let start = 0; start < 2; start++) expect(await openError(directory)).to.match(new RegExp(reason))
      await fs.rmdir(log)
      await fs.rename(join(directory, 'aside'), log)
    })
    expect(await countIn(directory)).to.equal(6)
  })

  it('opens without the last batch if it is truncated, as after a crash during its write', async () => {
    const directory = await filled()
    await eachFile(directory, /\.log$/, async file => fs.truncate(file, (await fs.stat(file)).size - 5))
    expect(await countIn(directory)).to.equal(2)
  })
})
