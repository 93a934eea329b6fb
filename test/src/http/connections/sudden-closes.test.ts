import { expect } from 'chai'
import { attackCase } from '../../support/attack/attack-case.js'
import { runAttack } from '../../support/attack/run-attack.js'
import { observer } from '../../support/http/wire.js'
import { sharedService } from '../../support/service/mocha-service.js'

// an uncaught error or a warning fails the current test
describe('A connection that closes at any moment', function () {
  this.timeout(60_000)
  const { observe, seen } = observer()
  const service = sharedService({ observe })
  const warnings: Error[] = []
  const warn = (warning: Error): void => void warnings.push(warning)
  before(() => process.on('warning', warn))
  after(() => process.off('warning', warn))

  it('does no harm in 400 random attacks, and never gets a 500', async () => {
    const port = Number(new URL(service.url).port)
    const statuses: number[] = []
    let seed = 0
    const worker = async (): Promise<void> => {
      while (++seed <= 400) statuses.push(...(await runAttack(port, attackCase(seed))))
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(statuses).to.not.include(500)
    // on a busy machine, the clients may leave before the responses
    expect(seen.map(({ status }) => status)).to.not.be.empty.and.not.include(500)
    expect((await fetch(`${service.url}/api/users/`)).status).to.equal(200)
    expect(service.log.filter(({ limit }) => limit !== 'pipelining')).to.deep.equal([])
    expect(warnings).to.deep.equal([])
  })
})
