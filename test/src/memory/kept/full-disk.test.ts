import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { storageFull } from '@snippets/domain/errors.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { openKept } from '../../support/kept.js'
import { changes, draft, must } from '../../support/snippets.js'

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

  it('creating is StorageFull, reads go on, nothing is lost, and writes work again when there is room', async function () {
    this.timeout(60_000)
    const directory = folder ?? ''
    const ballast = join(directory, 'ballast')
    writeFileSync(ballast, Buffer.alloc(1_800_000))
    const storage = await openKept(directory)
    const { snippets } = storage
    const kept = []
    for (;;) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => snippets.create(draft({ code }))()))
      kept.push(...answers.filter(isRight).map(({ right }) => right))
      const refused = answers.filter(answer => !isRight(answer))
      if (refused.length === 0) continue
      expect(refused).to.deep.equal(refused.map(() => left(storageFull)))
      break
    }
    expect(await everything(snippets)).to.deep.equal(kept)
    const [first] = kept
    if (first === undefined) throw new Error('the disk was full from the start')
    expect(await snippets.update(first.id, changes({ title: 'no' }), anyRevision)()).to.deep.equal(left(storageFull))
    expect(await snippets.delete(first.id, anyRevision)()).to.have.nested.property('left.outcome', 'unapplied')
    expect(await everything(snippets)).to.deep.equal(kept)

    rmSync(ballast)
    await pause(1100)
    const next = must(await snippets.create(draft({ code: 'small' }))())
    expect(next.id).to.equal((kept.at(-1)?.id ?? 0n) + 1n)
    await storage.close()
    const again = await openKept(directory)
    expect(await everything(again.snippets)).to.deep.equal([...kept, next])
    await again.close()
  })
})
