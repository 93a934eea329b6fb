import { expect } from 'chai'
import { wholeNumber } from './arguments.js'
import { serviceCommand, startMeasured } from './measured-process.js'
import { median, quantile, table } from './statistics.js'

describe('A measurement', () => {
  it('takes quantiles of values in any order', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(quantile([5, 1, 4, 2, 3], 0.99)).to.equal(5)
    expect(quantile([5, 1, 4, 2, 3], 0.4)).to.equal(2)
    expect(median([])).to.deep.equal(Number.NaN)
  })

  it('prints a table', () => {
    expect(table(['', 'detail'], [['koa', '70']])).to.equal('|  | detail |\n| --- | --- |\n| koa | 70 |')
  })

  for (const text of ['0', '-1', '1.5', 'x', ''])
    it(`refuses "${text}" as a number of rounds`, () => {
      expect(() => wholeNumber('--rounds', text)).to.throw('--rounds must be a whole number above 0.')
    })

  it('reads what a service has used, and how it ended', async () => {
    const service = await startMeasured({ ...serviceCommand, hasAdmin: true })
    try {
      const first = await service.usage()
      const answer = await fetch(`http://127.0.0.1:${service.adminPort}/livez`)
      expect(answer.status).to.equal(200)
      const second = await service.usage()
      expect(second.cpuMicroseconds).to.be.greaterThan(first.cpuMicroseconds)
      expect(second.megabytes).to.be.within(20, 500)
      expect(second.peakMegabytes).to.be.at.least(second.megabytes)
      expect(service.exit()).to.equal(undefined)
      await service.stop()
      expect(service.exit()).to.deep.equal({ code: 0, signal: null })
    } finally {
      await service.kill()
    }
  })

  it('says why a server did not start', async () => {
    const failing = { ...serviceCommand, env: { STORAGE: 'nowhere' } }
    const why = await startMeasured(failing).then(
      service => service.kill(),
      (error: Error) => error.message,
    )
    expect(why).to.contain('did not start').and.to.contain('nowhere')
  })
})
