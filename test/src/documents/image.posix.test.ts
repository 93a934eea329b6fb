import { execFile, spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

/** Without this base image on the machine, the tests are skipped: they use no registry. */
const baseImage = process.env.NODE_IMAGE ?? 'node:24-slim'
const hasBaseImage = spawnSync('docker', ['image', 'inspect', baseImage]).status === 0
if (!hasBaseImage && process.env.REQUIRE_IMAGE === '1') throw new Error(`Docker does not answer or lacks ${baseImage}.`)

const docker = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('docker', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()

const withImage = hasBaseImage ? describe : describe.skip

withImage('The image', () => {
  const name = `snippets-test-${process.pid}`
  const containers: string[] = []

  /** Starts a container with a read-only file system and without capabilities, as in docs/deploying.md. */
  const run = async (): Promise<string> => {
    const container = await docker(
      ...['run', '--detach', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--volume', `${name}:/data`, '--env', 'DATA_DIR=/data', '--health-interval', '1s'],
      ...['--publish', '127.0.0.1::8000', '--publish', '127.0.0.1::8001', name],
    )
    containers.push(container)
    while ((await docker('inspect', '--format', '{{.State.Health.Status}}', container)) !== 'healthy') await pause(100)
    return container
  }

  const addressOf = async (container: string, port: number): Promise<string> =>
    `http://${(await docker('port', container, String(port))).split('\n')[0]}`

  const stop = async (container: string): Promise<string> => {
    await docker('stop', container)
    return docker('inspect', '--format', '{{.State.ExitCode}}', container)
  }

  before(async function () {
    this.timeout(600_000)
    await docker('build', '--build-arg', `NODE_IMAGE=${baseImage}`, '--tag', name, '.')
  })
  after(async () => {
    for (const container of containers) await docker('rm', '--force', container)
    await docker('volume', 'rm', '--force', name)
    await docker('image', 'rm', '--force', name)
  })

  it('runs read-only without capabilities, answers probes from outside, and keeps data in a volume', async () => {
    const first = await run()
    const [url, admin] = await Promise.all([addressOf(first, 8000), addressOf(first, 8001)])
    expect((await fetch(`${admin}/readyz`)).status).to.equal(200)
    expect(await (await fetch(`${admin}/metrics`)).text()).to.contain('\nservice_ready 1\n')
    const created = await fetch(`${url}/api/snippets/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'kept', code: 'x', language: 'none' }),
    })
    expect(created.status).to.equal(201)
    expect(await stop(first)).to.equal('0')

    const second = await run()
    const kept = await fetch(`${await addressOf(second, 8000)}/api/snippets/1/`)
    expect(await kept.json()).to.include({ id: 1, title: 'kept' })
    expect(await stop(second)).to.equal('0')
  }).timeout(120_000)
})
