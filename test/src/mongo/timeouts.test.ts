import {
  countMs,
  driverTimeouts,
  estimateMs,
  lookupMs,
  maxCountWaitMs,
  quickMs,
  rowsMs,
  writeMs,
} from '@snippets/adapters-mongo/connection/timeouts.js'
import { deadlineMs } from '@snippets/remote-storage/job.js'
import { expect } from 'chai'

describe('The timeouts on MongoDB', () => {
  for (const [steps, ms] of Object.entries({
    'a page': rowsMs + Math.max(estimateMs, maxCountWaitMs) + countMs,
    'a wait for a slot and a quick attempt': lookupMs + quickMs,
    'a lookup': lookupMs,
    'the wait for a majority': writeMs,
    'the selection of a server': driverTimeouts.serverSelectionTimeoutMS,
  }))
    it(`end before the deadline of their job: ${steps}`, () => {
      expect(ms).to.be.below(deadlineMs)
    })
})
