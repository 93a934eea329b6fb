import { indexedPlans, planName, planOf } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { everyShape, type QueryShape } from '../support/queries.js'

const planFor = ({ filtered, ordering }: QueryShape) =>
  planOf({ filter: Object.fromEntries(filtered.map(field => [field, 'a'])), ordering })

describe('The indexed plans', () => {
  const names = indexedPlans.map(planName)

  it('are those of every filter with an ordering by at most two fields, and begin with the filtered fields', () => {
    const used = new Set<string>()
    for (const shape of everyShape) {
      const { plan } = planFor(shape)
      expect(plan.slice(0, shape.filtered.length).map(({ field }) => field)).to.have.members(shape.filtered)
      if (plan.length > 0) used.add(planName(plan))
    }
    expect(names)
      .to.have.members([...used])
      .and.to.include.members(['language', '-title,created_at'])
  })

  it('serve an order in one direction and its reverse in the other', () => {
    for (const shape of everyShape.filter(({ ordering }) => ordering.length > 0)) {
      const reverse = everyShape.find(other => other.filtered === shape.filtered && isReverse(shape, other))
      if (reverse === undefined) throw new Error('this ordering has no reverse')
      expect(planName(planFor(shape).plan)).to.equal(planName(planFor(reverse).plan))
      expect(planFor(shape).isReversed).to.equal(!planFor(reverse).isReversed)
    }
  })
})

const isReverse = ({ ordering: a }: QueryShape, { ordering: b }: QueryShape): boolean =>
  a.length === b.length && a.every(({ field, direction }, i) => b[i]?.field === field && b[i]?.direction !== direction)
