import type { RouterContext } from '@koa/router'
import { pathId } from '@snippets/adapters-http/request/path-id.js'
import { ok } from '@snippets/adapters-http/response/response.js'
import { describeOk } from '@snippets/adapters-http/routes/response-descriptions.js'
import { route } from '@snippets/adapters-http/routes/route.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { observer } from '../support/http/wire.js'
import { sharedService } from '../support/service/mocha-service.js'

const thing = {
  name: 'Thing',
  schema: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
  example: { thing: '1' },
}

const thingRoute = route({
  method: 'GET',
  path: '/api/things/:id/',
  operationId: 'getThing',
  summary: 'Get a thing',
  description: 'Returns the id.',
  tag: 'Service',
  reads: { id: pathId },
  responses: [describeOk('The thing.', thing)],
  run: ({ id }) => TE.right(ok(`{"thing":"${id}"}`)),
})

const wordRoute = route({
  method: 'GET',
  path: '/api/words/:word/',
  operationId: 'getWord',
  summary: 'Get a word',
  description: 'Returns the word in the path.',
  tag: 'Service',
  reads: { word: { read: ({ params }: RouterContext) => right(params.word) } },
  responses: [describeOk('The word.', thing)],
  run: ({ word }) => TE.right(ok(JSON.stringify({ thing: word }))),
})

describe('A route added to the table', () => {
  const { observe, seen, first } = observer()
  const service = sharedService({ moreRoutes: [thingRoute, wordRoute], observe })

  it('is served, returns the problems of its readers, and is observed under its path', async () => {
    await service.client.description()
    seen.length = 0
    expect((await service.client.get('/api/things/5/')).text).to.equal('{"thing":"5"}')
    expect((await service.client.get('/api/things/05/')).status).to.equal(404)
    await first(2)
    expect(seen.map(({ route, status }) => `${status} ${route}`)).to.deep.equal([
      '200 /api/things/:id/',
      '404 /api/things/:id/',
    ])
  })

  it('appears in the OpenAPI document with its parameters, responses, problems and schema', async () => {
    const { paths, components } = JSON.parse((await service.client.get('/api/schema/')).text)
    const { get, ...others } = paths['/api/things/{id}/']
    expect(others).to.deep.equal({})
    expect(get.operationId).to.equal('getThing')
    expect(get.parameters.map(({ name }: { name: string }) => name)).to.deep.equal(['id'])
    expect(Object.keys(get.responses)).to.deep.equal(['200', '404', 'default'])
    expect(components.schemas.Thing).to.deep.equal(thing.schema)
  })

  it('gets its decoded parameter by the name in its path', async () => {
    for (const word of ['plain', 'two words', '50%', 'é'])
      expect(await service.client.get(`/api/words/${encodeURIComponent(word)}/`)).to.include({
        text: `{"thing":"${word}"}`,
      })
  })

  it('appears in Allow, and gets a redirect for a missing trailing slash', async () => {
    const allow = 'GET, HEAD, OPTIONS'
    expect((await service.client.delete('/api/things/5/')).headers).to.include({ allow })
    expect((await service.client.options('/api/things/5/')).headers).to.include({ allow })
    expect((await service.client.get('/api/things/5')).headers).to.include({ location: '/api/things/5/' })
  })
})
