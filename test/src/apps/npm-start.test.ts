import { expect } from 'chai'
import { runInShell, type ShellCommand } from '../support/commands/shell-command.js'
import { root } from '../support/workspace-root.js'

describe('npm start', function () {
  this.timeout(60_000)
  let npm: ShellCommand
  let url: string
  beforeEach(async () => {
    npm = runInShell('exec npm start', root, { PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '' })
    url = await npm.printed(/Snippets is listening on (\S+)/)
  })
  afterEach(async () => {
    npm.signal('SIGKILL')
    await npm.ended
  })

  const stopsAfter = async (send: () => void): Promise<void> => {
    send()
    const { output } = await npm.ended
    expect(output).to.contain('"msg":"stopped"')
    expect(await fetch(url).catch(({ cause }) => cause.code)).to.equal('ECONNREFUSED')
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`stops the service when npm alone is sent ${signal}`, () => stopsAfter(() => npm.signalFirst(signal)))

  it('stops the service on Ctrl-C, which reaches it twice', () => stopsAfter(() => npm.signal('SIGINT')))
})
