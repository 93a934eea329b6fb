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
const admin = /adapters-http\/dist\/admin\//
const dataDirectory = /classic-level|adapters-memory\/dist\/kept\//
const doors = /@koa\/cors|adapters-http\/dist\/doors\//
const workers = /apps\/dist\/workers\/worker-pool/

describe('A process of the service', () => {
  it('loads nothing of what is not set', async () => {
    const loaded = await loadedBy({})
    expect(loaded).to.contain('apps/dist/storage.js').and.to.contain('node_modules/koa/')
    for (const unused of [driver, metrics, admin, dataDirectory, doors, workers]) expect(loaded).to.not.match(unused)
  })

  it('loads what keeps snippets, and the doors, where they are set', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'snippets-'))
    try {
      const loaded = await loadedBy({ DATA_DIR: directory, CORS_ORIGINS: '*' })
      expect(loaded).to.match(dataDirectory)
      expect(loaded).to.match(doors)
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('loads the driver where snippets are kept in MongoDB, and metrics where there is an admin port', async () => {
    const loaded = await loadedBy({ STORAGE: 'mongo', MONGODB_URL: 'mongodb://127.0.0.1:1/', ADMIN_PORT: '0' })
    expect(loaded).to.match(driver)
    expect(loaded).to.match(metrics)
  })
})
