import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { startProcess } from '../support/service/child-process.js'

/** The packages and files that a process of the service has loaded, which Node lists with its coverage. */
const loadedBy = async (environment: Environment): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snippets-'))
  try {
    const service = await startProcess({ ...environment, NODE_V8_COVERAGE: folder })
    await (await fetch(`${service.url}/api/snippets/`)).text()
    service.kill('SIGTERM')
    await service.ended
    const files = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
    return files.flatMap(file => JSON.parse(file).result.map(({ url }: { url: string }) => url)).join('\n')
  } finally {
    await rm(folder, { recursive: true })
  }
}

const driver = /node_modules\/(?:mongodb|bson)\/|adapters-mongo/
const metrics = /node_modules\/prom-client\//

describe('A process of the service', () => {
  it('loads nothing of MongoDB and of metrics where neither is set', async () => {
    const loaded = await loadedBy({})
    expect(loaded).to.contain('apps/dist/storage.js').and.to.contain('node_modules/koa/')
    expect(loaded).to.not.match(driver)
    expect(loaded).to.not.match(metrics)
  })

  it('loads the driver where snippets are kept in MongoDB, and metrics where there is an admin port', async () => {
    const loaded = await loadedBy({ STORAGE: 'mongo', MONGODB_URL: 'mongodb://127.0.0.1:1/', ADMIN_PORT: '0' })
    expect(loaded).to.match(driver)
    expect(loaded).to.match(metrics)
  })
})
