import { countMatches } from '@snippets/adapters-mongo/documents/count-matches.js'
import { expect } from 'chai'
import { type Collection, type CountDocumentsOptions, MongoServerError } from 'mongodb'

describe('Counting the matches of a filter', () => {
  /** Counts in a collection that answers each command like this, and records its limits. */
  const countWhere = async (count: (options: CountDocumentsOptions) => number) => {
    const limits: (number | undefined)[] = []
    const collection = {
      countDocuments: async (_: object, options: CountDocumentsOptions) => {
        limits.push(options.limit)
        return count(options)
      },
    } as unknown as Collection
    return { counted: await countMatches(collection, { language: 'go' }, {}), limits }
  }

  const failWith = (code: number): never => {
    throw new MongoServerError({ code })
  }

  it('is exact where the database has the time for it', async () => {
    expect(await countWhere(() => 20_000)).to.deep.equal({ counted: { count: 20_000 }, limits: [undefined] })
  })

  it('stops at 10,000 and says so where counting all of them took too long', async () => {
    expect(await countWhere(({ limit }) => limit ?? failWith(50))).to.deep.equal({
      counted: { count: 10_000, countIsLowerBound: true },
      limits: [undefined, 10_000],
    })
  })

  it('fails when the database fails otherwise', async () => {
    const failure = await countWhere(() => failWith(189)).catch(error => error)
    expect(failure).to.have.property('code', 189)
  })
})
