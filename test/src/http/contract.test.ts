import { setImmediate as turn } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { header } from '../support/http/representations.js'
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
  let dataBefore: readonly string[]
  let cleanUp: Readonly<{ made: number; undeleted: number }> | undefined

  /** Returns the list, and the ETag of each snippet. */
  const readData = async () => {
    const data = [(await service.client.get('/api/snippets/')).text]
    for (let id = 1; id <= 30; id++) data.push(header(await service.client.get(`/api/snippets/${id}/`), 'ETag'))
    return data
  }

  before(async () => {
    for (let i = 1; i <= 30; i++) await service.client.post('/api/snippets/', bodyOf({ title: `title ${i % 4}` }))
    dataBefore = await readData()
  })

  httpContract('the app in process', {
    url: () => service.url,
    onCleanUp: (made, undeleted) => {
      cleanUp = { made, undeleted }
    },
  })

  describe('after the contract', () => {
    it('has the same data as before, and has logged no error', async () => {
      expect(await readData()).to.deep.equal(dataBefore)
      expect(cleanUp?.made).to.be.greaterThan(100)
      expect(cleanUp?.undeleted).to.equal(0)
      expect(service.log).to.deep.equal([])
    })
  })
})
