import { expect } from 'chai'
import {
  header,
  pageOf,
  problemOf,
  snippetOf,
  snippetsOf,
  userOf,
  userPageOf,
} from '../support/http/representations.js'
import { servicePerTest } from '../support/service/mocha-service.js'
import { anId } from '../support/snippets.js'

const families = ['/api/snippets/', '/api/snippets-viewset/'] as const
const content = { title: 't', code: 'c', language: 'l' }

describe('Ids beyond the safe integers of JavaScript', () => {
  const start = servicePerTest()

  it('stay distinct: 2^53 + 1 does not find 2^53', async () => {
    const { client } = await start({ firstId: 9007199254740992n })
    const created = await client.post(families[0], content)
    expect(created.text.startsWith('{"id":9007199254740992,')).to.equal(true)
    for (const path of families) {
      const near = `${path}9007199254740993/`
      expect((await client.get(near)).status).to.equal(404)
      expect((await client.put(near, content)).status).to.equal(404)
      expect((await client.delete(near)).status).to.equal(404)
      expect((await client.get(`${path}9007199254740992/`)).text).to.equal(created.text)
    }
    expect((await client.patch(`${families[1]}9007199254740993/`, {})).status).to.equal(404)
  })

  it('keep every digit up to 2^63 - 1, after which a POST answers 507', async () => {
    const { client } = await start({ firstId: 9223372036854775806n })
    const [first, second] = [await client.post(families[0], content), await client.post(families[1], content)]
    expect(snippetOf(first).id).to.equal('9223372036854775806')
    expect(snippetOf(second).id).to.equal('9223372036854775807')
    expect(header(first, 'Location').endsWith('/api/snippets/9223372036854775806/')).to.equal(true)
    expect(header(second, 'Location').endsWith('/api/snippets-viewset/9223372036854775807/')).to.equal(true)
    const ids = ['9223372036854775806', '9223372036854775807']
    expect(snippetsOf(await client.get(families[0])).map(({ id }) => id)).to.deep.equal(ids)
    expect(pageOf(await client.get(families[1])).results.map(({ id }) => id)).to.deep.equal(ids)
    for (const path of families) {
      const refused = await client.post(path, content)
      expect(refused.status).to.equal(507)
      expect(problemOf(refused).title).not.to.equal('')
      expect((await client.put(`${path}9223372036854775807/`, { ...content, code: path })).status).to.equal(200)
      expect((await client.get(`${path}9223372036854775808/`)).status).to.equal(404)
    }
    expect((await client.delete(`${families[0]}9223372036854775807/`)).status).to.equal(204)
    expect((await client.post(families[0], content)).status, 'ids are never reused').to.equal(507)
  })

  it('are exact for users too', async () => {
    const { client } = await start({ users: [{ id: anId(9007199254740993n), username: 'ada' }] })
    expect((await client.get('/api/users/9007199254740992/')).status).to.equal(404)
    const user = await client.get('/api/users/9007199254740993/')
    expect(user.text).to.equal('{"id":9007199254740993,"username":"ada"}')
    expect(userPageOf(await client.get('/api/users/')).results).to.deep.equal([userOf(user)])
  })
})
