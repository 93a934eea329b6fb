import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { draft } from '../../support/snippets.js'
import { openKept } from '../../support/storage/kept.js'

/** A small file system of its own. Undefined where this user may not mount one. */
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

describe('On a disk that is full', () => {
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

  it('writes fail, reads go on, and after a restart with more room nothing is lost', async function () {
    this.timeout(60_000)
    const directory = folder ?? ''
    const ballast = join(directory, 'ballast')
    writeFileSync(ballast, Buffer.alloc(1_800_000))
    const failures: unknown[] = []
    const storage = await openKept(directory, { onFailure: cause => failures.push(cause) })
    const { snippets } = storage
    const kept: Snippet[] = []
    let inDoubt = 0
    while (inDoubt === 0) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => snippets.create(draft({ code }))()))
      kept.push(...answers.filter(isRight).map(({ right }) => right))
      inDoubt = answers.filter(
        answer => isLeft(answer) && 'outcome' in answer.left && answer.left.outcome === 'unknown',
      ).length
    }
    expect(failures.map(String).join()).to.match(/No space left on device/)
    expect(await everything(snippets)).to.deep.equal(kept)
    const [first] = kept
    if (first === undefined) throw new Error('the disk was full from the start')
    for (const write of [snippets.create(draft()), snippets.delete(first.id, anyRevision)])
      expect(await write()).to.have.nested.property('left.outcome', 'unapplied')
    await storage.close()

    rmSync(ballast)
    const again = await openKept(directory)
    const rows = await everything(again.snippets)
    expect(rows.slice(0, kept.length)).to.deep.equal(kept)
    expect(rows.length - kept.length).to.be.oneOf([0, inDoubt])
    await again.close()
  })
})
