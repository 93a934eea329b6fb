import { indexedPlans, planName } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'

describe('The indexed plans', () => {
  it('are those of every filter with an ordering by at most two fields; an ordering and its reverse share one', () => {
    const byTwoFields = ['created_at,title', '-created_at,title', 'title,created_at', '-title,created_at']
    expect(indexedPlans.map(planName)).to.have.members([
      ...['created_at', 'title', ...byTwoFields],
      ...['language', 'language,created_at', 'language,title', ...byTwoFields.map(fields => `language,${fields}`)],
    ])
  })
})
