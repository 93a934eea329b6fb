import { decodeRow, type Row } from '@snippets/domain/entities/row.js'
import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { snippetRow, userRow } from '../contracts/storage/row-store-contract.js'

describe('A row', () => {
  const rows: readonly Row[] = [userRow(3n), snippetRow(5n)]

  for (const { kind, entity } of rows)
    it(`of the kind ${kind} is decoded from its own fields only`, () => {
      const fields = Object.assign({}, ...rows.map(other => other.entity), entity)
      expect(decodeRow(kind, entity.id, fields)).to.deep.equal(right({ kind, entity }))
      for (const other of rows)
        expect(isLeft(decodeRow(kind, entity.id, other.entity)), other.kind).to.equal(other.kind !== kind)
    })
})
