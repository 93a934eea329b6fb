import { expect } from 'chai'
import { openConnection } from '../support/http/raw-http.js'
import { bodiless, post } from '../support/http/wire.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

const path = '/api/snippets-viewset/'
const clients = 8
/** Without a ceiling, as many as these in all take more than the heap. */
const creationsOfClient = 1000
/** After so many a client has seen enough. */
const refusalsOfClient = 50

// two bytes a character
const large = JSON.stringify({ title: 'large', code: '€'.repeat(10_000), language: 'text' })

describe('The process with a heap of 100 MB, storage in memory', () => {
  let service: ServiceProcess
  before(async () => {
    service = await startProcess({ NODE_OPTIONS: '--max-old-space-size=100', ACCESS_LOG: 'off', MAX_DELAY_MS: '60000' })
  })
  after(() => service.kill('SIGKILL'))

  it('stays up under a flood of large creations, counts what it accepted, and goes on', async () => {
    let [created, refused] = [0, 0]
    const flood = async (): Promise<void> => {
      const connection = await openConnection(service.url)
      for (let [sent, seen] = [0, 0]; sent < creationsOfClient && seen < refusalsOfClient; sent++) {
        connection.send(post(path, large))
        const { status } = await connection.answer('POST')
        expect(status).to.be.oneOf([201, 507])
        if (status === 201) created++
        else {
          seen++
          refused++
        }
      }
      connection.destroy()
    }
    await Promise.all(Array.from({ length: clients }, flood))
    expect(created).to.be.greaterThan(clients)
    expect(refused).to.equal(clients * refusalsOfClient)

    const connection = await openConnection(service.url)
    const ask = async (method: string, bytes: string) => {
      connection.send(bytes)
      return connection.answer(method)
    }
    const page = await ask('GET', bodiless('GET', `${path}?page_size=1&ordering=-title`))
    expect(JSON.parse(page.text).count).to.equal(created)
    expect((await ask('DELETE', bodiless('DELETE', `${path}3/`))).status).to.equal(204)
    expect((await ask('POST', post(path, large))).status).to.equal(201)
    connection.destroy()

    service.kill('SIGTERM')
    expect((await service.ended).code).to.equal(0)
  }).timeout(60_000)
})
