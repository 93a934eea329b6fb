import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startProcess } from '../support/service/child-process.js'

describe('A process of the service', () => {
  it('loads no driver, no native library, no metrics and no formatter that are not used', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snippets-'))
    try {
      // Node lists with its coverage what was loaded
      const service = await startProcess({ NODE_V8_COVERAGE: folder })
      service.kill('SIGTERM')
      await service.ended
      const files = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
      const loaded = files.join()
      expect(loaded).to.contain('node_modules/koa/').and.to.contain('node_modules/pino/')
      for (const library of ['mongodb', 'classic-level', 'prom-client', 'pino-pretty'])
        expect(loaded).to.not.contain(`node_modules/${library}/`)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
