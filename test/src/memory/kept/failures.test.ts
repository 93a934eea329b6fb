import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { GroupCommit } from '@snippets/adapters-memory/kept/group-commit.js'
import { emptyHead, type Head } from '@snippets/adapters-memory/kept/head.js'
import { type KeptFile, keptFile } from '@snippets/adapters-memory/kept/kept-file.js'
import { keptStore } from '@snippets/adapters-memory/kept/kept-store.js'
import { openRowFile, type RowFile } from '@snippets/adapters-memory/kept/row-file.js'
import { SnippetTable } from '@snippets/adapters-memory/snippet-table.js'
import { dataDirectory } from '@snippets/apps/data-directory.js'
import { notFound, storageFull } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { directories, openKept } from '../../support/kept.js'
import { anId, changes, draft, must } from '../../support/snippets.js'

/** What the disk does. `null` lets it work. */
type Disk = { write: Error | null; sync: Error | null; open: string | null; gate: Promise<void> | null }

const full = new Error('IO error: /data/000003.log: No space left on device')
const broken = new Error('IO error: /data/000003.log: Input/output error')

describe('While the disk fails', () => {
  const newDirectory = directories()
  let disk: Disk
  let directory: string
  let store: SnippetStore
  let commit: GroupCommit
  let events: string[]

  const onDisk = (file: RowFile): RowFile => ({
    ...file,
    write: async (...args) => {
      await disk.gate
      if (disk.write !== null) throw disk.write
      await file.write(...args)
    },
    sync: async head => {
      if (disk.sync !== null) throw disk.sync
      await file.sync(head)
    },
  })

  beforeEach(async () => {
    disk = { write: null, sync: null, open: null, gate: null }
    events = []
    directory = await newDirectory()
    const options = must(await dataDirectory(directory))
    const table = new SnippetTable({ firstId: 1n, ceiling: Number.POSITIVE_INFINITY })
    const file: KeptFile = keptFile(onDisk(must(await openRowFile(options))), options, async where => {
      if (disk.open !== null) return left(disk.open)
      return right(onDisk(must(await openRowFile(where))))
    })
    const head: Head = emptyHead
    commit = new GroupCommit({
      table,
      file,
      head,
      ceiling: Number.POSITIVE_INFINITY,
      wait: ms => pause(ms),
      onFailure: () => events.push('failed'),
      onRecovery: () => events.push('works again'),
    })
    store = keptStore(table, commit)
    must(await store.create(draft({ title: 'first' }))())
  })

  const restarted = async () => {
    await commit.close()
    const storage = await openKept(directory)
    const rows = await everything(storage.snippets)
    await storage.close()
    return rows
  }

  it('a full disk answers StorageFull to what adds, Unavailable to a delete, and changes nothing', async () => {
    const before = await everything(store)
    disk.write = full
    const [created, updated, deleted] = await Promise.all([
      store.create(draft())(),
      store.update(anId(1n), changes({ title: 'new' }), anyRevision)(),
      store.delete(anId(1n), anyRevision)(),
    ])
    expect(created).to.deep.equal(left(storageFull))
    expect(updated).to.deep.equal(left(storageFull))
    expect(deleted).to.have.nested.property('left.outcome', 'unapplied')
    expect(await everything(store)).to.deep.equal(before)
    expect(await restarted()).to.deep.equal(before)
  })

  it('writes work again once the disk does, and no id has been skipped or assigned twice', async () => {
    disk.write = full
    expect(await store.create(draft())()).to.deep.equal(left(storageFull))
    disk.write = null
    expect(must(await store.create(draft())()).id).to.equal(2n)
    expect(events).to.deep.equal(['failed', 'works again'])
    expect(await restarted()).to.have.length(2)
  })

  it('the directory is opened anew before the next write, and until that succeeds writes fail', async () => {
    disk.write = full
    await store.create(draft())()
    disk.write = null
    disk.open = 'is on a disk that is full'
    expect(await store.create(draft())()).to.deep.equal(left(storageFull))
    disk.open = null
    // it is not tried again at once
    expect(await store.create(draft())()).to.deep.equal(left(storageFull))
    expect(await store.get(anId(1n))()).to.have.property('_tag', 'Right')
    await pause(1050)
    expect(must(await store.create(draft())()).id).to.equal(2n)
  })

  it('a failed sync is answered with an unknown outcome, and the write shows once it is found on the disk', async () => {
    disk.sync = broken
    expect(await store.create(draft({ title: 'in doubt' }))()).to.have.nested.property('left.outcome', 'unknown')
    expect(await store.get(anId(2n))()).to.deep.equal(left(notFound))
    disk.sync = null
    expect(must(await store.create(draft({ title: 'third' }))()).id).to.equal(3n)
    const rows = await everything(store)
    expect(rows.map(({ title }) => title)).to.deep.equal(['first', 'in doubt', 'third'])
    expect(await restarted()).to.deep.equal(rows)
  })

  it('a disk that is full at the sync leaves the outcome unknown, as the write may be on it', async () => {
    disk.sync = full
    expect(await store.create(draft())()).to.have.nested.property('left.outcome', 'unknown')
    disk.sync = null
    expect(must(await store.create(draft())()).id).to.equal(3n)
  })

  it('an answer that depends on a failed write fails too', async () => {
    disk.write = broken
    const answers = await Promise.all([
      store.delete(anId(1n), anyRevision)(),
      store.update(anId(1n), {}, anyRevision)(),
      store.delete(anId(1n), anyRevision)(),
    ])
    for (const answer of answers) expect(answer).to.have.nested.property('left.outcome', 'unapplied')
  })

  it('a directory that has vanished is not made again, as it would be empty', async () => {
    const { location } = must(await dataDirectory(directory))
    disk.write = broken
    await store.create(draft())()
    disk.write = null
    await rm(location, { recursive: true })
    expect(await store.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    expect(existsSync(join(location, 'CURRENT'))).to.equal(false)
    await commit.close()
  })

  it('nothing is written to a directory that another process has changed meanwhile', async () => {
    disk.write = broken
    await store.create(draft())()
    disk.write = null
    disk.open = 'is in use'
    await store.create(draft())()
    disk.open = null
    const other = await openKept(directory)
    must(await other.snippets.create(draft({ title: 'of the other' }))())
    await other.close()
    await pause(1050)
    expect(await store.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    expect((await restarted()).map(({ title }) => title)).to.deep.equal(['first', 'of the other'])
  })

  it('a disk that does not answer: writes are answered within seconds, and applied when it does', async () => {
    let open = (): void => {}
    disk.gate = new Promise(resolve => {
      open = resolve
    })
    const stuck = store.create(draft({ title: 'stuck' }))()
    await pause(10)
    const waiting = store.create(draft({ title: 'waiting' }))()
    expect(await stuck).to.have.nested.property('left.outcome', 'unknown')
    expect(await waiting).to.have.nested.property('left.outcome', 'unapplied')
    expect(await store.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    expect(await store.get(anId(1n))()).to.have.property('_tag', 'Right')
    open()
    await commit.close()
    expect((await everything(store)).map(({ title }) => title)).to.deep.equal(['first', 'stuck'])
  })

  it('a disk that answers again takes writes, and is given up as soon when it stops again', async () => {
    for (const title of ['stuck', 'stuck again']) {
      let open = (): void => {}
      disk.gate = new Promise(resolve => {
        open = resolve
      })
      expect(await store.create(draft({ title }))()).to.have.nested.property('left.outcome', 'unknown')
      open()
      // the next turn of the watch finds nothing under way, and the watch ends
      await pause(300)
      must(await store.create(draft({ title: `after ${title}` }))())
      await pause(300)
    }
    await commit.close()
    const titles = (await everything(store)).map(({ title }) => title)
    expect(titles).to.deep.equal(['first', 'stuck', 'after stuck', 'stuck again', 'after stuck again'])
  })

  it('no reader sees a write before it is on the disk', async () => {
    let open = (): void => {}
    disk.gate = new Promise(resolve => {
      open = resolve
    })
    const creating = store.create(draft())()
    const deleting = store.delete(anId(1n), anyRevision)()
    await pause(20)
    expect((await everything(store)).map(({ id }) => id)).to.deep.equal([1n])
    open()
    must(await creating)
    must(await deleting)
    expect((await everything(store)).map(({ id }) => id)).to.deep.equal([2n])
    await commit.close()
  })
})
