import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo.js'
import { draft, must } from '../support/snippets.js'

type Writer = Readonly<{ child: ChildProcess; lines: () => readonly string[]; ended: Promise<unknown> }>

const program = fileURLToPath(new URL('./writer.js', import.meta.url))

const startWriter = (url: string, name: string): Writer => {
  const child = spawn(process.execPath, [program, url, name], { stdio: ['pipe', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    printed += chunk
  })
  // the last line may have been cut off by a kill: then it was not said
  return { child, lines: () => printed.split('\n').slice(0, -1), ended: once(child, 'close') }
}

type Stored = Readonly<{ _id: bigint; title: string; code: string }>

describeMongo('several processes on one MongoDB', engine => {
  let database: TestDatabase
  let writers: Writer[]

  beforeEach(async () => {
    database = freshDatabase(engine)
    writers = []
    const storage = await openPrepared(database.url)
    must(await storage.snippets.create(draft({ title: 'counter', code: '0' }))())
    await storage.close()
  })

  afterEach(async () => {
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(writers.map(({ ended }) => ended))
    await database.drop()
  })

  const start = (name: string): Writer => {
    const writer = startWriter(database.url, name)
    writers.push(writer)
    return writer
  }

  const acknowledged = (kind: string): readonly string[] =>
    writers.flatMap(({ lines }) => lines()).filter(line => line.startsWith(`${kind} `) || line === kind)

  const stored = (): Promise<Stored[]> => database.db.collection<Stored>('snippets').find().toArray()

  /** Every acknowledged creation is there under its id, and no id was acknowledged twice. */
  const expectAllCreated = async (): Promise<void> => {
    const said = acknowledged('created').map(line => line.replace('created ', ''))
    const ids = said.map(line => line.split(' ')[0])
    expect(new Set(ids).size).to.equal(said.length)
    const there = new Set((await stored()).map(({ _id, title }) => `${_id} ${title}`))
    expect(said.filter(line => !there.has(line))).to.deep.equal([])
  }

  const counted = async (): Promise<number> => Number((await stored()).find(({ _id }) => _id === 1n)?.code)

  it('hand out no id twice and lose no update', async function () {
    this.timeout(30_000)
    const running = ['a', 'b', 'c'].map(start)
    while (!running.every(({ lines }) => lines().length > 100)) await pause(20)
    for (const { child } of running) child.stdin?.end()
    await Promise.all(running.map(({ ended }) => ended))
    expect(running.map(({ child }) => child.exitCode)).to.deep.equal([0, 0, 0])

    await expectAllCreated()
    expect(await counted()).to.equal(acknowledged('counted').length)
    expect(acknowledged('counted')).to.not.deep.equal([])
  })

  it('lose no acknowledged write and hand out no id twice when they are killed 50 times while they write', async function () {
    this.timeout(60_000)
    const atOnce = 4
    let kills = 0
    const killOver = async (): Promise<void> => {
      while (kills < 50) {
        const number = ++kills
        const { child, lines, ended } = start(`life ${number}`)
        while (lines().length === 0) await pause(5)
        await pause((number * 37) % 150)
        child.kill('SIGKILL')
        await ended
        expect(child.signalCode).to.equal('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: atOnce }, killOver))

    await expectAllCreated()
    expect(new Set(writers.map(({ lines }) => lines().length > 0))).to.deep.equal(new Set([true]))
    // what was under way when a process died may have been counted, though nobody was told
    const said = acknowledged('counted').length
    expect(await counted())
      .to.be.at.least(said)
      .and.at.most(said + kills)
    console.log(
      `${' '.repeat(6)}${kills} kills, ${acknowledged('created').length} creations and ${said} updates acknowledged, none lost`,
    )
  })
})
