import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory } from '@snippets/apps/data-directory.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { left } from 'fp-ts/lib/Either.js'
import { asOrdinaryUser } from '../support/ordinary-user.js'
import { endOf, type ServiceProcess, startProcess } from '../support/service/child-process.js'

describe('With DATA_DIR the service', () => {
  let folder: string
  let directory: string
  let services: ServiceProcess[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'data-'))
    directory = join(folder, 'data')
    services = []
  })
  afterEach(async () => {
    for (const { kill } of services) kill('SIGKILL')
    await Promise.all(services.map(({ ended }) => ended))
    await rm(folder, { recursive: true })
  })

  const serve = async (environment: Environment = {}): Promise<ServiceProcess> => {
    const service = await startProcess({ DATA_DIR: directory, ...environment })
    services.push(service)
    return service
  }
  const stop = async (service: ServiceProcess) => {
    service.kill('SIGTERM')
    return service.ended
  }
  const create = async ({ url }: ServiceProcess, title = 'kept') => {
    const body = JSON.stringify({ title, code: 'x'.repeat(300), language: 'none' })
    const response = await fetch(`${url}/api/snippets/`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    })
    return response.status
  }
  const titles = async ({ url }: ServiceProcess): Promise<readonly string[]> => {
    const { snippets } = JSON.parse(await (await fetch(`${url}/api/snippets/`)).text())
    return snippets.map(({ title }: { title: string }) => title)
  }
  const filled = async (count = 3): Promise<void> => {
    const service = await serve()
    for (let i = 0; i < count; i++) expect(await create(service, `title ${i}`)).to.equal(201)
    await stop(service)
  }
  const level = () => new ClassicLevel<Uint8Array, string>(join(directory, 'snippets'), { keyEncoding: 'view' })
  const head = new Uint8Array([0])

  const isRefused = async (why: RegExp, environment = {}): Promise<void> => {
    const { code, stdout, stderr } = await endOf({ DATA_DIR: directory, PORT: '0', ...environment })
    expect({ code, stdout }).to.deep.equal({ code: 78, stdout: '' })
    expect(stderr).to.match(why)
    expect(stderr.trimEnd().split('\n')).to.have.length(1)
  }

  it('makes the directory, says so in its greeting, and has everything again after a restart', async () => {
    const first = await serve()
    expect(first.greeting).to.contain(`Snippets are kept in memory and in ${directory}.\n`)
    expect(await create(first)).to.equal(201)
    expect((await stop(first)).code).to.equal(0)
    expect(await titles(await serve())).to.deep.equal(['kept'])
  })

  it('has every acknowledged snippet after it was killed', async () => {
    const first = await serve()
    expect(await create(first)).to.equal(201)
    first.kill('SIGKILL')
    await first.ended
    expect(await titles(await serve())).to.deep.equal(['kept'])
  })

  it('refuses a directory that another process has open, and leaves that one alone', async () => {
    const first = await serve()
    await isRefused(
      /^DATA_DIR cannot be used: \S+ is in use by another process\. Stop that one, or use another directory\.$/m,
    )
    expect(await create(first)).to.equal(201)
  })

  it('starts one of two processes that use the directory at once', async () => {
    const starts = await Promise.allSettled([serve(), serve()])
    expect(starts.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
  })

  it('is not put off by a directory that another process makes at the same moment', async () => {
    const found = await Promise.all([dataDirectory(directory), dataDirectory(directory)])
    expect(found.map(({ _tag }) => _tag)).to.deep.equal(['Right', 'Right'])
  })

  it('closes the directory in order even if requests get no time to finish', async () => {
    const service = await serve({ SHUTDOWN_GRACE_MS: '0' })
    await create(service)
    await stop(service)
    expect(await readFile(join(directory, 'snippets', 'closed'), 'utf8')).to.equal('1\n')
  })

  it('refuses a file', async () => {
    await writeFile(directory, '')
    await isRefused(/ is not a directory\. Name another one\.$/m)
  })

  it('refuses a path whose parent does not exist', async () => {
    directory = join(folder, 'none', 'data')
    await isRefused(/ cannot be made \(ENOENT\)\. Make the directory above it first, or name another one\.$/m)
    directory = '/proc/none'
    await isRefused(/^DATA_DIR cannot be used: \/proc\/none cannot be made \(ENOENT\)\./m)
  })

  it('hides the password of a URL that was meant for MONGODB_URL', async () => {
    directory = 'mongodb://u:s3cret@h/x'
    await isRefused(/^DATA_DIR cannot be used: \*\*\*@h\/x cannot be made /m)
  })

  it('refuses a loop of symbolic links', async () => {
    await symlink(directory, directory)
    await isRefused(/ is a loop of symbolic links\. Name another one\.$/m)
  })

  it('refuses a directory that it cannot write', async () => {
    const why = left('cannot be written (EACCES). Give the user of this process the right to write there')
    await chmod(folder, 0o711)
    await mkdir(directory, 0o500)
    await asOrdinaryUser(directory, async () => expect(await dataDirectory(directory)).to.deep.equal(why))
  })

  for (const name of ['closed', 'closed.unfinished', 'CURRENT'])
    it(`refuses a named pipe in place of ${name}, which would never end`, async () => {
      await filled()
      const pipe = join(directory, 'snippets', name)
      await rm(pipe, { force: true })
      execFileSync('mkfifo', [pipe])
      await isRefused(new RegExp(` holds snippets/${name}, which is not a file\\. Remove that\\.$`, 'm'))
    })

  it('refuses the inside of a data directory', async () => {
    await filled()
    const above = directory
    directory = join(above, 'snippets')
    await isRefused(/ is the inside of the data directory \S+\/data\. Name that\.$/m)
    directory = above
    expect(await titles(await serve())).to.have.length(3)
  })

  it('refuses a directory that has another data directory in it', async () => {
    const above = directory
    directory = join(above, 'snippets')
    await mkdir(above)
    await filled()
    directory = above
    await isRefused(/ has the data directory \S+\/data\/snippets in it\. Name that\.$/m)
    directory = join(above, 'snippets')
    expect(await titles(await serve())).to.have.length(3)
  })

  it('leaves what else is in the directory alone', async () => {
    await mkdir(directory)
    for (const name of ['000001.log', 'lost+found', 'CURRENT']) await writeFile(join(directory, name), 'mine')
    await filled()
    expect(await readdir(directory)).to.have.members(['000001.log', 'lost+found', 'CURRENT', 'snippets'])
    expect(await titles(await serve())).to.have.length(3)
  })

  it('starts with a directory whose first start was interrupted', async () => {
    await mkdir(join(directory, 'snippets'), { recursive: true })
    for (const name of ['LOCK', 'LOG', 'MANIFEST-000001']) await writeFile(join(directory, 'snippets', name), '')
    await filled()
    expect(await titles(await serve())).to.have.length(3)
  })

  it('refuses a directory of a newer version', async () => {
    await filled()
    const db = level()
    await db.put(head, JSON.stringify({ format: 2, other: [] }))
    await db.close()
    await isRefused(
      / was written by a newer version of this service \(format 2; this one knows 1\)\. Start that version\.$/m,
    )
  })

  it('refuses a database of something else', async () => {
    await mkdir(directory)
    const db = level()
    await db.put(new Uint8Array([65]), 'x')
    await db.close()
    await isRefused(/ is damaged: its head is missing/m)
  })

  const damage: Readonly<Record<string, () => Promise<void>>> = {
    'has lost its CURRENT': () => rm(join(directory, 'snippets/CURRENT')),
    'has lost its manifest': () => eachFile(/^MANIFEST/, file => rm(file)),
    'has a broken manifest': () => eachFile(/^MANIFEST/, file => flip(file, 10)),
    'has a broken table': async () => {
      await toTable()
      await eachFile(/\.ldb$/, file => flip(file, 300))
    },
    'has lost a table': async () => {
      await toTable()
      await eachFile(/\.ldb$/, file => rm(file))
    },
  }
  const lossAfterCleanStop: Readonly<Record<string, () => Promise<void>>> = {
    'has a broken end of its log': () => eachFile(/\.log$/, file => flip(file, -400)),
    'has lost the end of its log': () => eachFile(/\.log$/, async file => truncate(file, (await stat(file)).size >> 1)),
    'has lost all files of LevelDB': () => eachFile(/^[^c]/, file => rm(file)),
  }
  const eachFile = async (pattern: RegExp, change: (file: string) => Promise<void>): Promise<void> => {
    const names = (await readdir(join(directory, 'snippets'))).filter(name => pattern.test(name))
    expect(names).to.not.deep.equal([])
    for (const name of names) await change(join(directory, 'snippets', name))
  }
  const flip = async (file: string, at: number): Promise<void> => {
    const bytes = await readFile(file)
    const from = at < 0 ? bytes.length + at : at
    bytes[from] = (bytes[from] ?? 0) ^ 0x55
    await writeFile(file, bytes)
  }
  /** Tables and logs by name. LevelDB makes an empty log at each start. */
  const dataFiles = async (): Promise<Readonly<Record<string, string>>> => {
    const inside = join(directory, 'snippets')
    const names = (await readdir(inside)).filter(name => /\.(ldb|log)$/.test(name)).sort()
    const contents = await Promise.all(names.map(name => readFile(join(inside, name), 'hex')))
    return Object.fromEntries(names.map((name, i) => [name, contents[i] ?? '']).filter(([, hex]) => hex !== ''))
  }
  /** What was in the log is in a table after a restart. */
  const toTable = async (): Promise<void> => {
    const db = level()
    await db.open()
    await db.close()
  }

  const isDamaged = / is damaged[ (:].*\. Restore it from a backup, or move it away to start without snippets\.$/m

  for (const [what, harm] of Object.entries(damage))
    it(`refuses a directory that ${what}, and changes nothing in it`, async () => {
      await filled()
      await harm()
      const before = await dataFiles()
      await isRefused(isDamaged)
      expect(await dataFiles()).to.deep.equal(before)
    })

  // LevelDB moves what is left of a log to a table before anyone can look
  for (const [what, harm] of Object.entries(lossAfterCleanStop))
    it(`refuses a directory that ${what} after a clean stop, at each start`, async () => {
      await filled()
      await harm()
      await isRefused(isDamaged)
      await isRefused(isDamaged)
    })

  it('refuses a directory with a snippet that is not valid, and names it', async () => {
    await filled()
    const db = level()
    const key = new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 2])
    const stored = JSON.parse((await db.get(key)) ?? '')
    await db.put(key, JSON.stringify({ ...stored, title: '' }))
    await db.close()
    await isRefused(/ is damaged \(Error: snippet 2 is stored with a malformed title\)/m)
  })

  it('leaves the demo without it', async () => {
    const demo = await startProcess({ DATA_DIR: directory }, 'demo.js')
    services.push(demo)
    expect(demo.greeting).to.contain('lost when it stops')
    expect(await readdir(folder)).to.deep.equal([])
  })
})
