import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { listenOnFreePort } from '../support/free-port.js'
import { owned } from '../support/owned-child.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'
import { root } from '../support/workspace-root.js'

const main = join(root, 'apps/dist/main.js')

describe('Stopping', () => {
  let service: ServiceProcess | undefined
  let silent: Server | undefined
  afterEach(async () => {
    silent?.close()
    service?.kill('SIGKILL')
    await service?.ended
  })

  it('turns readiness off first, and goes on serving for DRAIN_DELAY_MS', async () => {
    service = await startProcess({ ADMIN_PORT: '0', DRAIN_DELAY_MS: '600000' })
    const { url, adminUrl, kill } = service
    kill('SIGTERM')
    const ready = () => fetch(`${adminUrl}/readyz`).then(({ status }) => status)
    while ((await ready()) === 200) await pause(10)
    for (let i = 0; i < 10; i++) {
      // a new connection each time, as from a client that a load balancer still sends
      const { status } = await fetch(`${url}/api/users/`, { headers: { Connection: 'close' } })
      expect([status, await ready()]).to.deep.equal([200, 503])
    }
  })

  it('works during the start: nothing is greeted, and the exit code is 0', async () => {
    // the start waits a moment for its database, which never answers
    silent = createServer()
    const port = await listenOnFreePort(silent)
    const env = { PORT: '0', STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${port}/` }
    const options = { env, cwd: tmpdir() }
    const child = owned(spawn(process.execPath, [main], { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
    const printed = [text(child.stdout), text(child.stderr)]
    await once(silent, 'connection')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    const [stdout, stderr] = await Promise.all(printed)
    expect(stdout).to.equal('')
    expect(stderr).to.contain('"stopping"').and.to.contain('"stopped"')
  })
})
