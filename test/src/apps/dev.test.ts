import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runInShell, type ShellCommand } from '../support/commands/shell-command.js'
import { copyWorkspace, type WorkspaceCopy } from '../support/commands/workspace-copy.js'

describe('npm run dev', function () {
  this.timeout(60_000)
  let copy: WorkspaceCopy
  let dev: ShellCommand
  before(async () => {
    copy = await copyWorkspace()
  })
  after(() => copy.remove())
  beforeEach(() => {
    dev = runInShell('npm run dev', copy.folder, { PORT: '0' })
  })
  afterEach(async () => {
    dev.signal('SIGTERM')
    await dev.ended
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends the service and the compiler on ${signal}`, async () => {
      const url = await dev.printed(/Snippets is listening on (\S+)/)
      await dev.printed(/Watching for file changes/)
      dev.signal(signal)
      // resolves only when neither holds the output open
      await dev.ended
      expect(await fetch(url).catch(({ cause }) => cause.code)).to.equal('ECONNREFUSED')
    })

  it('rebuilds and restarts the service when a source changes', async () => {
    await dev.printed(/Snippets is listening on/)
    const source = join(copy.folder, 'apps/src/greeting.ts')
    const changed = readFileSync(source, 'utf8').replace('is listening', 'now listens')
    // again and again, because the compiler misses changes in its first moments
    const changes = setInterval(() => writeFileSync(source, changed), 1000)
    const url = await dev.printed(/Snippets now listens on (\S+)/).finally(() => clearInterval(changes))
    expect((await fetch(`${url}/api/snippets/`)).status).to.equal(200)
  })
})
