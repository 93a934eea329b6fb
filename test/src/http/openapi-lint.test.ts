import { expect } from 'chai'
import { redoclyProblems } from '../support/http/redocly.js'
import { sharedService } from '../support/service/mocha-service.js'

describe('The OpenAPI document', () => {
  const service = sharedService()

  it('passes the strict rules of Redocly, but for the trailing slashes that the API mandates', async () => {
    const { text } = await service.client.get('/api/schema/')
    expect(await redoclyProblems(text)).to.deep.equal([])
  })

  it('gives every operation a summary, a tag that is declared, and an example of every body', async () => {
    const { tags, paths, security } = JSON.parse((await service.client.get('/api/schema/')).text)
    const declared = tags.map(({ name }: { name: string }) => name)
    expect(security).to.deep.equal([])
    const operations = Object.values(paths).flatMap(path => Object.values(path as Record<string, Operation>))
    expect(operations).to.have.length(16)
    for (const { operationId, summary, tags: [tag] = [], requestBody, responses } of operations) {
      expect(summary, operationId).to.match(/^[A-Z].*[a-z]$/)
      expect(declared, operationId).to.include(tag)
      const bodies = [requestBody, ...Object.values(responses)].flatMap(body => Object.values(body?.content ?? {}))
      for (const body of bodies) expect(body, operationId).to.have.property('example')
    }
  })
})

type Body = Readonly<{ content?: Readonly<Record<string, object>> }>
type Operation = Readonly<{
  operationId: string
  summary: string
  tags?: readonly string[]
  requestBody?: Body
  responses: Readonly<Record<string, Body>>
}>
