import { snippetQuery } from '@snippets/adapters-http/request/list-query.js'
import { expect } from 'chai'
import { pageOf } from '../support/http/representations.js'
import { filterNames } from '../support/queries.js'
import { bodyOf } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'

describe('The generated list', () => {
  const service = sharedService()

  for (const name of filterNames)
    it(`leaves out a snippet that does not match ${name}`, async () => {
      await service.client.post('/api/snippets/', bodyOf())
      const example = snippetQuery.parameters?.find(parameter => parameter.name === name)?.example
      const query = new URLSearchParams({ [name]: String(example) })
      expect(pageOf(await service.client.get(`/api/snippets-viewset/?${query}`)).count).to.equal(0)
    })
})
