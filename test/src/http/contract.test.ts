import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { httpClient } from '../support/http/http-client.js'
import { header } from '../support/http/representations.js'
import { type Service, startService, threeUsers } from '../support/service/in-process.js'

describe('a service that holds nothing', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  httpContract('the empty app in process', { url: () => service.url })

  it('logs no error under the contract', () => {
    expect(service.log.filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([])
  })
})

describe('a service that holds the data of others', () => {
  let service: Service
  let before_: Readonly<{ text: string; tags: readonly string[] }>
  let account: Readonly<{ made: number; left: number }> | undefined

  const look = async () => {
    const client = httpClient(service.url)
    const { text } = await client.get('/api/snippets/')
    const tags: string[] = []
    for (let id = 1; id <= 30; id++) tags.push(header(await client.get(`/api/snippets/${id}/`), 'ETag'))
    client.close()
    return { text, tags }
  }

  before(async () => {
    service = await startService({ users: threeUsers })
    const client = httpClient(service.url)
    for (let i = 1; i <= 30; i++)
      await client.post('/api/snippets/', { title: `title ${i % 4}`, code: `code ${i}`, language: `language ${i % 3}` })
    client.close()
    before_ = await look()
  })
  after(() => service.stop())

  describe('under the contract', () => {
    httpContract('the app in process', {
      url: () => service.url,
      onCleanUp: (made, left) => {
        account = { made, left }
      },
    })
  })

  describe('after the contract', () => {
    it('is as it was', async () => {
      expect(await look()).to.deep.equal(before_)
    })

    it('was told how much was made, and that nothing was left', () => {
      expect(account?.made).to.be.greaterThan(100)
      expect(account?.left).to.equal(0)
    })
  })
})
