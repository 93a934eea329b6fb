import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type AttackCase, attackCase } from '../../support/attack/attack-case.js'
import { runAttack } from '../../support/attack/run-attack.js'
import { chunked, get, json, observer, requestHead } from '../../support/http/wire.js'
import { sharedService } from '../../support/service/mocha-service.js'

const list = get('/api/snippets-viewset/')
const proxied = requestHead('CONNECT', 'a:80')
const upgrade = get('/api/users/', 'Connection: Upgrade', 'Upgrade: websocket')
const sized = ['POST', '/api/snippets/', json, 'Content-Length: 1000'] as const

/** The bytes that a client sends before it resets, closes or half-closes the connection. */
const beginnings: Readonly<Record<string, string>> = {
  'half a head': list.slice(0, -2),
  'half a body': `${requestHead(...sized)}{"title"`,
  'a broken chunk': `${requestHead('POST', '/api/snippets/', json, chunked)}zz\r\n`,
  'a GET with a broken chunk': `${get('/metrics', chunked)}zz\r\n`,
  'an expectation': requestHead(...sized, 'Expect: 100-continue'),
  'an expectation that cannot be met': requestHead(...sized, 'Expect: miracles'),
  'a hundred pipelined requests': list.repeat(100),
  'CONNECT and bytes behind it': `${proxied}${'x'.repeat(1000)}`,
  'CONNECT behind other requests': `${list}${list}${proxied}`,
  'CONNECT behind a body that is rejected unread': `${get('/', 'Content-Encoding: x', 'Content-Length: 2')}{}${proxied}`,
  'an Upgrade and bytes behind it': `${upgrade}${'x'.repeat(1000)}`,
  'an Upgrade behind other requests': `${list}${list}${upgrade}`,
}

// an uncaught error or a warning fails the current test
describe('A connection that closes at any moment', function () {
  this.timeout(60_000)
  const { observe, seen } = observer()
  const service = sharedService({ observe })
  const warnings: Error[] = []
  const warn = (warning: Error): void => void warnings.push(warning)
  before(() => process.on('warning', warn))
  after(() => process.off('warning', warn))

  const attack = (sent: AttackCase): Promise<readonly number[]> => runAttack(Number(new URL(service.url).port), sent)

  const expectUnharmed = async (): Promise<void> => {
    await wait(20)
    expect((await fetch(`${service.url}/api/users/`)).status).to.equal(200)
    expect(service.log.filter(({ limit }) => limit !== 'pipelining')).to.deep.equal([])
    expect(warnings).to.deep.equal([])
  }

  for (const [what, bytes] of Object.entries(beginnings))
    it(`does no harm after ${what}`, async () => {
      const sent = { pieces: [Buffer.from(bytes)], gapMs: 0 }
      for (const how of ['reset', 'close', 'half-close'] as const) {
        await attack({ ...sent, reads: false, leaving: { how, when: 'after a turn' } })
        await attack({ ...sent, reads: true, leaving: { how, when: 'at the first response' } })
      }
      await expectUnharmed()
    })

  it('does no harm in 400 random attacks, and never gets a 500', async () => {
    seen.length = 0
    const statuses: number[] = []
    let seed = 0
    const worker = async (): Promise<void> => {
      while (++seed <= 400) statuses.push(...(await attack(attackCase(seed))))
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(statuses).to.not.include(500)
    // on a busy machine, the clients may leave before the responses
    expect(seen.map(({ status }) => status)).to.not.be.empty.and.not.include(500)
    await expectUnharmed()
  })
})
