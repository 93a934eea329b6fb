import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Admission } from '@snippets/adapters-http/server/admission.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { Refusals } from '@snippets/adapters-http/server/refusal.js'
import { UnsentBytes } from '@snippets/adapters-http/server/unsent-bytes.js'
import { expect } from 'chai'

const busyFor = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('A turn of the event loop that goes on and on, as sockets are readable all the time', () => {
  it('begins requests all the time', async () => {
    const begun: number[] = []
    const refusals = new Refusals({}, defaultLimits.idleMs)
    const listener = (_req: IncomingMessage, res: ServerResponse): void => {
      begun.push(performance.now())
      res.emit('close')
    }
    const admission = new Admission(listener, defaultLimits, { unsent: new UnsentBytes(1), refusals })
    const start = performance.now()
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    for (let i = 0; i < 100; i++) {
      const req = { method: 'GET', headers: {} } as IncomingMessage
      const res = Object.assign(new EventEmitter(), { req, closed: false }) as unknown as ServerResponse
      admission.serve(req, res)
      busyFor(4)
      // as between two sockets that are read in the same turn
      await new Promise(process.nextTick)
    }
    expect(hasTurned).to.equal(false)
    expect(begun.filter(at => at - start > 200).length).to.be.greaterThan(10)
  })
})
