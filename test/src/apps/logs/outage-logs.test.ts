import { expect } from 'chai'
import { closedPort } from '../../support/free-port.js'
import { httpClient } from '../../support/http/http-client.js'
import { startProcess } from '../../support/service/child-process.js'

describe('While MongoDB is down, the log', () => {
  it('has one short line for each failed request, and the whole cause once', async () => {
    const url = `mongodb://127.0.0.1:${await closedPort()}/`
    const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: url, ACCESS_LOG: 'off' })
    const client = httpClient(service.url)
    const content = { title: 'private title', code: 'private code', language: 'private language' }
    for (let round = 0; round < 3; round++)
      await Promise.all([
        client.get('/api/snippets/7/'),
        client.get('/api/snippets-viewset/?title=private'),
        client.post('/api/snippets/', content),
      ])
    client.close()
    service.kill('SIGTERM')
    const lines = (await service.ended).stderr.trim().split('\n')
    const failed = lines.filter(line => line.includes('storage unavailable'))
    expect(failed).to.have.length(9)
    for (const line of failed) expect(line.length, line).to.be.below(350)
    expect(failed[0]).to.match(/"requestId":"[\w-]+".*"route":"[^"]+".*"reason":"\w/)
    expect(lines.filter(line => line.includes('"stack"'))).to.have.length(1)
    expect(lines.join()).to.not.contain('private')
  })
})
