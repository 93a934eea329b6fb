import { setImmediate as turn } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { bodyOf } from '../support/samples.js'
import { threeUsers } from '../support/service/in-process.js'
import { sharedService } from '../support/service/mocha-service.js'

/** Delays operations like a network, so that a service that reads first and writes later loses the race. */
const slow = (store: SnippetStore): SnippetStore => {
  const late =
    <A>(task: () => Promise<A>) =>
    async (): Promise<A> => {
      await turn()
      const result = await task()
      await turn()
      return result
    }
  return {
    ...store,
    get: id => late(store.get(id)),
    update: (id, changes, expected) => late(store.update(id, changes, expected)),
    delete: (id, expected) => late(store.delete(id, expected)),
  }
}

describe('A service with existing data', () => {
  const service = sharedService({ users: threeUsers, store: slow })
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
