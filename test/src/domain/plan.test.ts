import { indexedPlans, nameOf, planOf } from '@snippets/domain/plan.js'
import { expect } from 'chai'
import { everyShape } from '../support/queries.js'

describe('The indexed plans', () => {
  const names = indexedPlans.map(nameOf)

  it('are those for orderings by one field and by two', () => {
    expect(names).to.have.members([
      'created_at',
      '-created_at,title',
      'created_at,title',
      '-title,created_at',
      'title,created_at',
      'title',
      'language',
      'language,created_at',
      'language,title',
      'language,-created_at,title',
      'language,created_at,title',
      'language,-title,created_at',
      'language,title,created_at',
    ])
  })

  it('serve every way to filter and order', () => {
    for (const { filtered, ordering } of everyShape) {
      const filter = Object.fromEntries(filtered.map(field => [field, 'a']))
      const { plan } = planOf({ filter, ordering })
      expect(['', ...names]).to.include(nameOf(plan))
      expect(plan.slice(0, filtered.length).map(({ field }) => field)).to.have.members(filtered)
    }
  })

  it('are shared by an order and its reverse', () => {
    for (const { filtered, ordering, reversed } of everyShape.flatMap(shape =>
      everyShape
        .filter(other => other.filtered.join() === shape.filtered.join() && isReverse(shape.ordering, other.ordering))
        .map(other => ({ ...shape, reversed: other.ordering })),
    )) {
      const filter = Object.fromEntries(filtered.map(field => [field, 'a']))
      expect(nameOf(planOf({ filter, ordering }).plan)).to.equal(nameOf(planOf({ filter, ordering: reversed }).plan))
    }
  })
})

type Orders = (typeof everyShape)[number]['ordering']

const isReverse = (a: Orders, b: Orders): boolean =>
  a.length === b.length && a.every(({ field, direction }, i) => b[i]?.field === field && b[i]?.direction !== direction)
