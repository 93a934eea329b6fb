import { expect } from 'chai'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

describe('The demo', () => {
  let demo: ServiceProcess
  before(async () => {
    demo = await startProcess({}, 'demo.js')
  })
  after(() => demo.kill('SIGKILL'))

  const get = async (path: string) => JSON.parse(await (await fetch(`${demo.url}${path}`)).text())

  it('serves five snippets in five languages', async () => {
    const { snippets } = await get('/api/snippets/')
    expect(snippets).to.have.length(5)
    expect(new Set(snippets.map(({ title }: { title: string }) => title)).size).to.equal(5)
    expect(new Set(snippets.map(({ language }: { language: string }) => language)).size).to.equal(5)
  })

  it('serves two users', async () => {
    const { results } = await get('/api/users/')
    expect(results.map(({ username }: { username: string }) => username)).to.deep.equal(['ada', 'grace'])
  })

  it('exits with 0 on SIGTERM', async () => {
    demo.kill('SIGTERM')
    expect((await demo.ended).code).to.equal(0)
  })
})
