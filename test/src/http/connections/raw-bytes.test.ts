import { setTimeout as wait } from 'node:timers/promises'
import { createAdminApp, text } from '@snippets/adapters-http/admin/admin-app.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { type AttackCase, attackCase, describeAttack } from '../../support/attack/attack-case.js'
import { runAttack } from '../../support/attack/run-attack.js'
import { sharedService } from '../../support/service/mocha-service.js'

const textOf = ({ pieces }: AttackCase): string => Buffer.concat(pieces).toString('latin1')

describe('attackCase', () => {
  it('makes the same case of the same seed, and another one of another', () => {
    expect(attackCase(7)).to.deep.equal(attackCase(7))
    expect(textOf(attackCase(7))).to.not.equal(textOf(attackCase(8)))
  })

  it('makes every kind of attack, and leaves in every way at every moment', () => {
    const cases = Array.from({ length: 3000 }, (_, seed) => attackCase(seed))
    const texts = cases.map(textOf)
    const kinds = [
      /^CONNECT /,
      /^TRACE /,
      /Upgrade: websocket/,
      /Transfer-Encoding: chunked\r\n\r\n[0-9a-f]+/,
      /Expect: 100-continue/,
      /HTTP\/1\.1\r\n.*HTTP\/1\.1\r\n/s,
      /^[\x80-\xff]/,
      /^$/,
    ]
    for (const kind of kinds) expect(texts.filter(text => kind.test(text)).length, String(kind)).to.be.greaterThan(5)
    const leavings = new Set(cases.map(({ leaving: { how, when } }) => `${how} ${when}`))
    expect(leavings.size).to.equal(16)
    expect(cases.filter(({ pieces }) => pieces.length > 3)).to.not.deep.equal([])
  })

  it('describes a case in one line of readable characters', () => {
    for (let seed = 0; seed < 500; seed++) expect(describeAttack(attackCase(seed))).to.match(/^seed \d+: [^\r\n\0]+$/)
  })
})

const cases = 600
const together = 30

const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

/** Whether no more timers than these are left, once every connection had time to close. */
const returnsTo = async (before: number): Promise<boolean> => {
  for (let i = 0; i < 50 && timers() > before; i++) await wait(100)
  return timers() <= before
}

/** Runs the cases, some at a time, and returns the statuses that answered them. */
const attack = async (url: string, firstSeed: number): Promise<readonly number[]> => {
  const port = Number(new URL(url).port)
  const statuses: number[] = []
  for (let seed = firstSeed; seed < firstSeed + cases; seed += together) {
    const group = Array.from({ length: together }, (_, i) => runAttack(port, attackCase(seed + i)))
    for (const { statuses: seen } of await Promise.all(group)) statuses.push(...seen)
  }
  return statuses
}

describe(`Under ${cases} attacks with raw bytes`, function () {
  this.timeout(30_000)

  describe('the service', () => {
    const service = sharedService()

    it('goes on serving, answers no request with a 500, logs no error and leaves no timer behind', async () => {
      await service.client.description()
      const before = timers()
      const statuses = await attack(service.url, 1)
      expect(statuses).to.include.members([200, 400, 404, 405])
      expect(statuses.filter(status => status >= 500)).to.deep.equal([])
      expect((await service.client.get('/api/snippets/')).status).to.equal(200)
      expect(await returnsTo(before), 'no timer is left').to.equal(true)
      expect(service.log.filter(({ level }) => level === 'error')).to.deep.equal([])
    })
  })

  describe('the admin listener', () => {
    const page = text('application/json', '{}')
    let admin: Listening
    before(async () => {
      const app = createAdminApp(new Map(['/livez', '/readyz', '/metrics'].map(path => [path, async () => page])))
      admin = await listen(app, { host: '127.0.0.1', port: 0 })
    })
    after(() => admin.stop(0))

    it('goes on serving, and answers no request with a 500', async () => {
      const statuses = await attack(admin.url, 1_000_000)
      expect(statuses).to.include.members([200, 400, 404, 405])
      expect(statuses.filter(status => status >= 500)).to.deep.equal([])
      expect((await fetch(`${admin.url}/livez`)).status).to.equal(200)
    })
  })
})
