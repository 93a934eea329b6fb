import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { eventually } from '../../support/eventually.js'
import { draft, must } from '../../support/snippets.js'
import { openDirectory } from '../../support/storage/data-directory.js'

/** Mounts a small file system. Undefined if this user may not mount one. */
const mountSmall = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

describe('Storage in a data directory on a full disk', () => {
  let folder: string | undefined
  before(function () {
    folder = mountSmall()
    if (folder !== undefined) return
    console.log(`${' '.repeat(4)}skipped: this user may not mount a tmpfs`)
    this.skip()
  })
  after(() => {
    if (folder === undefined) return
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })

  const code = 'x'.repeat(5000)

  it('rejects writes, serves reads, accepts writes again when the disk has room, and loses no acknowledged write', async function () {
    this.timeout(60_000)
    const directory = folder ?? ''
    const ballast = join(directory, 'ballast')
    writeFileSync(ballast, Buffer.alloc(1_800_000))
    const failures: unknown[] = []
    let recoveries = 0
    const storage = await openDirectory(directory, {
      onFailure: cause => failures.push(cause),
      onRecovery: () => recoveries++,
    })
    const { snippets } = storage
    const kept: Snippet[] = []
    let inDoubt = 0
    while (inDoubt === 0) {
      const results = await Promise.all(Array.from({ length: 8 }, () => snippets.create(draft({ code }))()))
      kept.push(...results.filter(isRight).map(({ right }) => right))
      inDoubt = results.filter(
        result => isLeft(result) && 'outcome' in result.left && result.left.outcome === 'unknown',
      ).length
    }
    expect(failures.map(String).join()).to.match(/No space left on device/)
    expect(await everything(snippets)).to.deep.equal(kept)
    const [first] = kept
    if (first === undefined) throw new Error('the disk was full from the start')
    for (const write of [snippets.create(draft()), snippets.delete(first.id, anyRevision)])
      expect(await write()).to.have.nested.property('left.outcome', 'unapplied')

    // an attempt to reopen the directory fails on the full disk
    await eventually(() => failures.length > 1)
    rmSync(ballast)
    await eventually(() => recoveries > 0)
    const rows = await everything(snippets)
    expect(rows.slice(0, kept.length)).to.deep.equal(kept)
    expect(rows.length - kept.length).to.be.oneOf([0, inDoubt])
    const { id } = must(await snippets.create(draft({ code }))())
    expect(rows.map(row => row.id)).not.to.include(id)
    const left = await everything(snippets)
    await storage.close()

    const again = await openDirectory(directory)
    expect(await everything(again.snippets)).to.deep.equal(left)
    await again.close()
  })
})
