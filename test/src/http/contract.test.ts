import { setImmediate as turn } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { bodyOf } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'
import { anId } from '../support/snippets.js'

/** Delays reads like a network, so that a service that reads first and writes later loses the race. */
const lateReads = (store: SnippetStore): SnippetStore => ({
  ...store,
  get: id => async () => {
    const found = await store.get(id)()
    await turn()
    return found
  },
})

/** Beyond the safe integers of JavaScript, and up to the largest. */
const [firstId, lastId] = [2n ** 63n - 10_000n, 2n ** 63n - 1n]
const users = [1n, 2n ** 53n + 1n, lastId].map((id, i) => ({ id: anId(id), username: `user ${i}` }))

describe('A service with existing data', () => {
  const service = sharedService({ users, firstId, store: lateReads })
  const list = async () => (await service.client.get('/api/snippets/')).text
  let dataBefore = ''

  before(async () => {
    for (let i = 1; i <= 30; i++) await service.client.post('/api/snippets/', bodyOf({ title: `title ${i % 4}` }))
    dataBefore = await list()
  })

  httpContract('the app in process', () => service.url)

  describe('after the contract', () => {
    it('has the same data as before, and has logged no error', async () => {
      expect(await list()).to.equal(dataBefore)
      expect(service.log).to.deep.equal([])
    })
  })
})
