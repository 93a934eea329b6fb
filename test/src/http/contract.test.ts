import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { header } from '../support/http/representations.js'
import { bodyOf } from '../support/samples.js'
import { threeUsers } from '../support/service/in-process.js'
import { sharedService } from '../support/service/mocha-service.js'

describe('A service with existing data', () => {
  const service = sharedService({ users: threeUsers })
  let dataBefore: Readonly<{ text: string; tags: readonly string[] }>
  let cleanUp: Readonly<{ made: number; left: number }> | undefined

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
      onCleanUp: (made, left) => {
        cleanUp = { made, left }
      },
    })
  })

  describe('after the contract', () => {
    it('has the same data as before, and no snippet of the contract', async () => {
      expect(await readData()).to.deep.equal(dataBefore)
      expect(cleanUp?.made).to.be.greaterThan(100)
      expect(cleanUp?.left).to.equal(0)
    })

    it('has logged no error', () => {
      expect(service.log).to.deep.equal([])
    })
  })
})
