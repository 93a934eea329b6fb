import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { endOf, type ServiceProcess, startProcess } from '../support/service/child-process.js'

describe('With DATA_DIR the service', () => {
  let folder: string
  let directory: string
  let services: ServiceProcess[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'data-'))
    directory = join(folder, 'data')
    services = []
  })
  afterEach(async () => {
    for (const { kill } of services) kill('SIGKILL')
    await Promise.all(services.map(({ ended }) => ended))
    await rm(folder, { recursive: true })
  })

  const serve = async (environment: Environment = {}): Promise<ServiceProcess> => {
    const service = await startProcess({ DATA_DIR: directory, ...environment })
    services.push(service)
    return service
  }
  const stop = async (service: ServiceProcess) => {
    service.kill('SIGTERM')
    return service.ended
  }
  const create = async ({ url }: ServiceProcess, title = 'kept') => {
    const body = JSON.stringify({ title, code: 'x'.repeat(300), language: 'none' })
    const response = await fetch(`${url}/api/snippets/`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    })
    return response.status
  }
  const titles = async ({ url }: ServiceProcess): Promise<readonly string[]> => {
    const { snippets } = JSON.parse(await (await fetch(`${url}/api/snippets/`)).text())
    return snippets.map(({ title }: { title: string }) => title)
  }
  const isRefused = async (why: RegExp, environment = {}): Promise<void> => {
    const { code, stdout, stderr } = await endOf({ DATA_DIR: directory, PORT: '0', ...environment })
    expect({ code, stdout }).to.deep.equal({ code: 78, stdout: '' })
    expect(stderr).to.match(why)
    expect(stderr.trimEnd().split('\n')).to.have.length(1)
  }

  it('makes the directory, says so in its greeting, and has everything again after a restart', async () => {
    const first = await serve()
    expect(first.greeting).to.contain(`Snippets are kept in memory and in ${directory}.\n`)
    expect(await create(first)).to.equal(201)
    expect((await stop(first)).code).to.equal(0)
    expect(await titles(await serve())).to.deep.equal(['kept'])
  })

  it('refuses a directory that another process has open, and leaves that one alone', async () => {
    const first = await serve()
    await isRefused(
      /^DATA_DIR cannot be used: \S+ is in use by another process\. Stop that one, or use another directory\.$/m,
    )
    expect(await create(first)).to.equal(201)
  })

  it('hides the password of a URL that was meant for MONGODB_URL', async () => {
    directory = 'mongodb://u:s3cret@h/x'
    await isRefused(/^DATA_DIR cannot be used: \*\*\*@h\/x cannot be made /m)
  })

  it('leaves the demo without it', async () => {
    const demo = await startProcess({ DATA_DIR: directory }, 'demo.js')
    services.push(demo)
    expect(demo.greeting).to.contain('lost when it stops')
    expect(await readdir(folder)).to.deep.equal([])
  })
})
