import { accessLog } from '@snippets/apps/logging/access-log.js'
import { expect } from 'chai'

const usual = {
  requestId: 'r',
  traceId: undefined,
  token: undefined,
  method: 'GET',
  route: '/api/users/',
  status: 200,
  seconds: 0.9,
  bytes: 100,
  clientLeft: false,
}

describe('The sampled access log', () => {
  const notable = [{ status: 500 }, { status: undefined }, { seconds: 1 }, { clientLeft: true }]
  const linesOf = (observations: readonly object[]): number => {
    let lines = 0
    const observe = accessLog('sampled', () => lines++)
    for (const observation of observations) observe?.({ ...usual, ...observation })
    return lines
  }

  it('has every request that failed, took a second, or was not answered to its end', () => {
    // the first is a sample
    expect(linesOf([{}, ...notable])).to.equal(1 + notable.length)
  })

  it('has the first of each hundred others', () => {
    const others = Array.from({ length: 101 }, () => ({ status: 404 }))
    expect([linesOf(others.slice(0, 1)), linesOf(others.slice(0, 100)), linesOf(others)]).to.deep.equal([1, 1, 2])
  })
})

describe('A line of the access log', () => {
  it('has every field of the request', () => {
    let line = ''
    const observe = accessLog('all', json => {
      line = json
    })
    observe?.({ ...usual, traceId: 't', token: 'a "name"' })
    const { time, ...rest } = JSON.parse(line)
    const { seconds: _seconds, ...fields } = usual
    expect(rest).to.deep.equal({
      ...fields,
      level: 30,
      pid: process.pid,
      traceId: 't',
      token: 'a "name"',
      ms: 900,
      msg: 'request',
    })
    expect(time).to.be.closeTo(Date.now(), 60_000)
  })
})
