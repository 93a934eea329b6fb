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
import { bodyOf } from '../support/samples.js'
import { servicePerTest } from '../support/service/mocha-service.js'
import { anId } from '../support/snippets.js'

const [explicit, generated] = ['/api/snippets/', '/api/snippets-viewset/']
const content = bodyOf({ title: 't', code: 'c', language: 'l' })

describe('Ids beyond the safe integers of JavaScript', () => {
  const start = servicePerTest()

  it('keep every digit up to 2^63 - 1, after which a POST returns 507', async () => {
    const { client } = await start({ firstId: 9223372036854775806n })
    const ids = ['9223372036854775806', '9223372036854775807']
    const [first, second] = [await client.post(explicit, content), await client.post(generated, content)]
    expect([snippetOf(first).id, snippetOf(second).id]).to.deep.equal(ids)
    expect(header(first, 'Location')).to.equal(`${explicit}9223372036854775806/`)
    expect(header(second, 'Location')).to.equal(`${generated}9223372036854775807/`)
    expect(snippetsOf(await client.get(explicit)).map(({ id }) => id)).to.deep.equal(ids)
    expect(pageOf(await client.get(generated)).results.map(({ id }) => id)).to.deep.equal(ids)
    for (const path of [explicit, generated]) {
      const full = await client.post(path, content)
      expect([full.status, problemOf(full).type]).to.deep.equal([507, 'urn:snippets:ids-exhausted'])
    }
    expect((await client.delete(`${explicit}9223372036854775807/`)).status).to.equal(204)
    expect((await client.post(explicit, content)).status, 'ids are never reused').to.equal(507)
  })

  it('are exact for users too', async () => {
    const { client } = await start({ users: [{ id: anId(9007199254740993n), username: 'ada' }] })
    expect((await client.get('/api/users/9007199254740992/')).status).to.equal(404)
    const user = await client.get('/api/users/9007199254740993/')
    expect(user.text).to.equal('{"id":9007199254740993,"username":"ada"}')
    expect(userPageOf(await client.get('/api/users/')).results).to.deep.equal([userOf(user)])
  })
})
