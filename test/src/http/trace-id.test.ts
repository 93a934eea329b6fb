import type { Observation } from '@snippets/adapters-http/middleware/observe.js'
import { expect } from 'chai'
import { sharedService } from '../support/service/mocha-service.js'

const trace = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'

/** The trace id that each header leads to. */
const headers: Readonly<Record<string, string | undefined>> = {
  [`00-${trace}-${parent}-01`]: trace,
  [`00-${trace}-${parent}-00`]: trace,
  [`cc-${trace}-${parent}-01`]: trace,
  [`cc-${trace}-${parent}-01-what-the-future-will-be-like`]: trace,
  [`00-${trace}-${parent}-01-more`]: undefined,
  [`cc-${trace}-${parent}-01.more`]: undefined,
  [`ff-${trace}-${parent}-01`]: undefined,
  [`00-${'0'.repeat(32)}-${parent}-01`]: undefined,
  [`00-${trace}-${'0'.repeat(16)}-01`]: undefined,
  [`00-${trace.toUpperCase()}-${parent}-01`]: undefined,
  [`00-${trace}-${parent}`]: undefined,
  [`00-${trace}x-${parent}-01`]: undefined,
  [`00-${trace}-${parent}-01, 00-${trace}-${parent}-01`]: undefined,
  '': undefined,
}

describe('traceparent', () => {
  const observed: Observation[] = []
  const service = sharedService({ observe: observation => observed.push(observation) })

  for (const [header, expected] of Object.entries(headers))
    it(`${expected === undefined ? 'names no trace' : 'names a trace'} as "${header}"`, async () => {
      observed.length = 0
      await fetch(`${service.url}/api/users/`, { headers: { traceparent: header } })
      expect(observed.map(({ traceId }) => traceId)).to.deep.equal([expected])
    })
})
