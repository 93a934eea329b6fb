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
  let dataBefore: Readonly<{ text: string; tags: readonly string[] }>
  let cleanUp: Readonly<{ made: number; undeleted: number }> | undefined

  const readData = async () => {
    const { client } = service
    const { text } = await client.get('/api/snippets/')
    const tags: string[] = []
    for (let id = 1; id <= 30; id++) tags.push(header(await client.get(`/api/snippets/${id}/`), 'ETag'))
    return { text, tags }
  }

  before(async () => {
    const { client } = service
    for (let i = 1; i <= 30; i++)
      await client.post(
        '/api/snippets/',
        bodyOf({ title: `title ${i % 4}`, code: `code ${i}`, language: `language ${i % 3}` }),
      )
    dataBefore = await readData()
  })

  describe('under the contract:', () => {
    httpContract('the app in process', {
      url: () => service.url,
      onCleanUp: (made, undeleted) => {
        cleanUp = { made, undeleted }
      },
    })
  })

  describe('after the contract', () => {
    it('has the same data as before, and no snippet of the contract', async () => {
      expect(await readData()).to.deep.equal(dataBefore)
      expect(cleanUp?.made).to.be.greaterThan(100)
      expect(cleanUp?.undeleted).to.equal(0)
    })

    it('has logged no error', () => {
      expect(service.log).to.deep.equal([])
    })
  })
})
