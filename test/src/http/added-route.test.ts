import { ok } from '@snippets/adapters-http/answer/answer.js'
import type { Observation } from '@snippets/adapters-http/middleware/observe.js'
import { pathId } from '@snippets/adapters-http/request/path-id.js'
import { describeOk } from '@snippets/adapters-http/routes/answer-descriptions.js'
import { route } from '@snippets/adapters-http/routes/route.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/TaskEither.js'
import { sharedService } from '../support/service/mocha-service.js'

const thing = {
  name: 'Thing',
  schema: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
  example: { thing: '1' },
}

const thingRoute = route({
  method: 'GET',
  path: '/api/things/:id/',
  operationId: 'retrieveThing',
  summary: 'Retrieve a thing',
  tag: 'Service',
  reads: { id: pathId },
  answers: [describeOk('The thing.', thing)],
  problems: [],
  run: ({ id }) => right(ok(`{"thing":"${id}"}`)),
})

describe('A route added to the table', () => {
  const observed: Observation[] = []
  const service = sharedService({ moreRoutes: [thingRoute], observe: observation => observed.push(observation) })

  it('is served, and its answers keep the description', async () => {
    const { text } = await service.client.get('/api/things/5/')
    expect(text).to.equal('{"thing":"5"}')
  })

  it('refuses what its readers refuse', async () => {
    expect((await service.client.get('/api/things/05/')).status).to.equal(404)
  })

  it('appears in the OpenAPI document with its parameters, answers, problems and schema', async () => {
    const { paths, components } = JSON.parse((await service.client.get('/api/schema/')).text)
    const { get, ...others } = paths['/api/things/{id}/']
    expect(others).to.deep.equal({})
    expect(get.operationId).to.equal('retrieveThing')
    expect(get.parameters.map(({ name }: { name: string }) => name)).to.deep.equal(['id'])
    expect(Object.keys(get.responses)).to.deep.equal(['200', '400', '404', '503'])
    expect(components.schemas.Thing).to.deep.equal(thing.schema)
  })

  it('appears in the Allow of a 405', async () => {
    const { status, headers } = await service.client.delete('/api/things/5/')
    expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
  })

  it('appears in the Allow of OPTIONS', async () => {
    const { status, headers } = await service.client.options('/api/things/5/')
    expect([status, headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS'])
  })

  it('is redirected to when the trailing slash is missing', async () => {
    const { status, headers } = await service.client.get('/api/things/5')
    expect([status, headers.location]).to.deep.equal([308, '/api/things/5/'])
  })

  it('is observed under its path, whatever the id', async () => {
    observed.length = 0
    await service.client.get('/api/things/77/')
    await service.client.get('/api/things/nonsense/')
    expect(observed.map(({ route, status }) => `${status} ${route}`)).to.deep.equal([
      '200 /api/things/:id/',
      '404 /api/things/:id/',
    ])
  })
})
