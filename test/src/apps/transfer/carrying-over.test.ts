import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { anId, must } from '../../support/snippets.js'
import { type End, endOf, row, transferBetween } from './ends.js'

describe('A transfer', () => {
  const five = () => [1n, 2n, 3n, 4n, 5n].map(id => row(id))

  it('raises the last id of the target to the largest id that came, when the source named a smaller one', async () => {
    const target = endOf()
    must(await transferBetween({ ...endOf(five()), lastId: 2n }, target))
    expect(target.lastId).to.equal(5n)
  })

  it('raises it to the last id that the source has assigned, when that row is gone', async () => {
    const target = endOf()
    must(await transferBetween({ ...endOf(five()), lastId: 9n }, target))
    expect(target.lastId).to.equal(9n)
  })

  it('does not raise it by the ids of users', async () => {
    const target = endOf()
    must(await transferBetween(endOf([{ kind: 'user', row: { id: anId(7n), username: 'ada' } }]), target))
    expect(target.lastId).to.equal(0n)
  })

  for (const isRepeatable of [true, false])
    it(`counts all rows with --merge, also those that were there, from a source that is${isRepeatable ? '' : ' not'} read twice`, async () => {
      const whole = must(await transferBetween(endOf(five()), endOf(), { isRepeatable }))
      const target = endOf(five().slice(1, 3))
      const merged = await transferBetween(endOf(five()), target, { merge: true, isRepeatable })
      expect(must(merged)).to.deep.equal(whole)
      expect(whole.count).to.equal(5)
      expect(target.rows.map(({ row }) => row.id)).to.deep.equal([2n, 3n, 1n, 4n, 5n])
    })

  it('finds a row that the target has lost meanwhile, with --merge', async () => {
    const target = endOf([row(9n)])
    const source = endOf(five())
    source.onRead = time =>
      time === 2 &&
      target.rows.splice(
        target.rows.findIndex(({ row }) => row.id === 4n),
        1,
      )
    expect(await transferBetween(source, target, { merge: true })).to.deep.equal(
      left('there has lost snippet 4. Was it written to meanwhile? Run it again.'),
    )
  })

  it('finds a row that was changed in the target meanwhile, with --merge', async () => {
    const target = endOf()
    const source = endOf(five())
    source.onRead = time => {
      if (time === 2) target.rows[3] = row(4n, 'other')
    }
    expect(await transferBetween(source, target, { merge: true })).to.deep.equal(
      left('snippet 4 differs between here and there. Nothing was overwritten.'),
    )
  })

  for (const [what, change] of Object.entries<(target: End) => unknown>({
    'lost a row': ({ rows }) => rows.pop(),
    'got another row': ({ rows }) => rows.push(row(6n)),
    'got another content': ({ rows }) => rows.splice(2, 1, row(3n, 'other')),
  }))
    it(`finds that the target has ${what} meanwhile`, async () => {
      const target = endOf()
      target.onRead = () => change(target)
      expect(await transferBetween(endOf(five()), target))
        .to.have.property('left')
        .that.matches(/^there does not agree with here: \d rows and 5 rows\. /)
    })

  const failures: Readonly<Record<string, Readonly<{ source?: Partial<End>; target?: Partial<End> }>>> = {
    'has succeeded': {},
    'could not read the summary of the source': { source: { fails: 'summary' } },
    'could not open the target': { target: { fails: 'open' } },
    'could not read the summary of the target': { target: { fails: 'summary' } },
    'found a target that is not empty': { target: { rows: [row(1n)] } },
  }
  for (const [what, { source, target }] of Object.entries(failures))
    it(`closes each end once when it ${what}`, async () => {
      const ends = [
        { ...endOf(five()), ...source },
        { ...endOf(), ...target },
      ] as const
      const result = await transferBetween(...ends)
      expect(result._tag).to.equal(what === 'has succeeded' ? 'Right' : 'Left')
      const hasTarget = source?.fails === undefined && target?.fails !== 'open'
      expect(ends.map(({ closed }) => closed)).to.deep.equal([1, hasTarget ? 1 : 0])
    })
})
