import { expect } from 'chai'
import { header, pageOf, problemOf, snippetOf, snippetsOf } from '../support/http/representations.js'
import { bodyOf } from '../support/samples.js'
import { servicePerTest } from '../support/service/mocha-service.js'
import { anId } from '../support/snippets.js'

const families = ['/api/snippets/', '/api/snippets-viewset/'] as const

describe('Ids beyond the safe integers of JavaScript', () => {
  const start = servicePerTest()

  it('keep every digit up to 2^63 - 1, after which a POST returns 507', async () => {
    const { client } = await start({ firstId: 9223372036854775806n })
    const ids = ['9223372036854775806', '9223372036854775807']
    for (const [i, path] of families.entries()) {
      const created = await client.post(path, bodyOf())
      expect([snippetOf(created).id, header(created, 'Location')]).to.deep.equal([ids[i], `${path}${ids[i]}/`])
    }
    expect(snippetsOf(await client.get(families[0])).map(({ id }) => id)).to.deep.equal(ids)
    expect(pageOf(await client.get(families[1])).results.map(({ id }) => id)).to.deep.equal(ids)
    // ids are never reused
    expect((await client.delete(`${families[0]}9223372036854775807/`)).status).to.equal(204)
    for (const path of families) {
      const { status, type } = problemOf(await client.post(path, bodyOf()))
      expect([status, type]).to.deep.equal([507, 'urn:snippets:ids-exhausted'])
    }
  })

  it('are exact for users too', async () => {
    const { client } = await start({ users: [{ id: anId(9007199254740993n), username: 'ada' }] })
    expect((await client.get('/api/users/9007199254740992/')).status).to.equal(404)
    const user = '{"id":9007199254740993,"username":"ada"}'
    expect((await client.get('/api/users/9007199254740993/')).text).to.equal(user)
    expect((await client.get('/api/users/')).text).to.contain(`"results":[${user}]`)
  })
})
