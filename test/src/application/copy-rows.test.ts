import { type CopyFailure, copyRows } from '@snippets/application/copy-rows.js'
import type { Row } from '@snippets/domain/entities/row.js'
import { type RowBatches, type RowTarget, rowFailure } from '@snippets/domain/ports/row-store.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { snippetRow, userRow } from '../contracts/storage/row-store-contract.js'

const rows = [userRow(3n), snippetRow(5n)]
const broken = TE.left(rowFailure('is broken'))
const failed = (side: CopyFailure['side'], isIncomplete: boolean, fault = 'is broken') =>
  left({ side, fault, isIncomplete })
const differs =
  'differs from the source. Check that no other process writes to one of them, and that the lines of a file are in order'
const different = failed('target', true, differs)

async function* batchesOf(...batches: readonly (readonly Row[])[]): RowBatches {
  for (const batch of batches) yield right(batch)
}

async function* brokenBatches(): RowBatches {
  yield left(rowFailure('is broken'))
}

describe('A copy of rows', () => {
  let calls: string[]
  const step = (call: string) => TE.fromIO(() => void calls.push(call))
  /** A side whose steps are recorded. */
  const side = (name: string, changes: Partial<RowTarget> = {}): RowTarget => ({
    snapshot: TE.fromIO(() => ({ lastId: 7n, rows: batchesOf(rows.slice(0, 1), [], rows.slice(1)) })),
    begin: lastId => step(`begins at ${lastId}`),
    add: added => step(`adds ${added.length}`),
    finish: step('finishes'),
    close: step(`closes the ${name}`),
    ...changes,
  })
  const copy = (
    source: Partial<RowTarget> = {},
    target: Partial<RowTarget> = {},
  ): Promise<Either<CopyFailure, number>> => {
    calls = []
    const digest = () => {
      const taken: string[] = []
      return { add: ({ kind, entity }: Row) => taken.push(`${kind} ${entity.id}`), result: () => taken.join() }
    }
    return copyRows({
      source: TE.right(side('source', source)),
      target: TE.right(side('target', target)),
      digests: { copied: digest(), compared: digest() },
    })()
  }
  const snapshotWith = (lastId: bigint, batches: () => RowBatches) => ({
    snapshot: TE.fromIO(() => ({ lastId, rows: batches() })),
  })

  it('begins, adds every batch, compares, finishes, and closes both sides', async () => {
    expect(await copy()).to.deep.equal(right(2))
    const adds = ['adds 1', 'adds 0', 'adds 1']
    expect(calls).to.deep.equal(['begins at 7', ...adds, 'finishes', 'closes the target', 'closes the source'])
  })

  for (const [what, source, target, result] of [
    ['the target is not empty', {}, { begin: () => broken }, failed('target', false)],
    ['a batch cannot be read', snapshotWith(7n, brokenBatches), {}, failed('source', true)],
    ['a batch cannot be added', {}, { add: () => broken }, failed('target', true)],
    ['the copy cannot be read', {}, { snapshot: broken }, failed('target', true)],
    ['a batch of the copy cannot be read', {}, snapshotWith(7n, brokenBatches), failed('target', true)],
    ['the target lacks a row', {}, snapshotWith(7n, () => batchesOf(rows.slice(0, 1))), different],
    ['the target has another last id', {}, snapshotWith(8n, () => batchesOf(rows)), different],
    ['the target cannot finish', {}, { finish: broken }, failed('target', true)],
  ] as const)
    it(`fails if ${what}, and closes both sides`, async () => {
      expect(await copy(source, target)).to.deep.equal(result)
      expect(calls.slice(-2)).to.deep.equal(['closes the target', 'closes the source'])
      expect(calls).to.not.include('finishes')
    })

  it('opens no target if the source has no snapshot', async () => {
    expect(await copy({ snapshot: broken })).to.deep.equal(failed('source', false))
    expect(calls).to.deep.equal(['closes the source'])
  })

  it('fails if a side cannot be closed, unless it has already failed', async () => {
    expect(await copy({}, { close: broken })).to.deep.equal(failed('target', false))
    expect(await copy({ close: broken })).to.deep.equal(failed('source', false))
    expect(await copy({ close: broken }, { begin: () => broken })).to.deep.equal(failed('target', false))
  })
})
