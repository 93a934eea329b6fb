import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { httpClient } from '../support/http/http-client.js'
import { snippetOf } from '../support/http/representations.js'
import type { LogLine } from '../support/log-lines.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo/database.js'
import { endOf, type ServiceProcess, startProcess } from '../support/service/child-process.js'

const content = { title: 't', code: 'c', language: 'l' }

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describeMongo('A service of three workers', engine => {
  let database: TestDatabase
  let service: ServiceProcess
  let asked = 0
  const serve = async (environment: Environment = {}): Promise<ServiceProcess> => {
    database = freshDatabase(engine)
    asked = 0
    service = await startProcess({
      STORAGE: 'mongo',
      MONGODB_URL: database.url,
      WORKERS: '3',
      ADMIN_PORT: '0',
      ...environment,
    })
    return service
  }
  afterEach(async () => {
    service.kill('SIGTERM')
    await service.ended
    await database.drop()
  })

  /** One new connection for each, so that every worker gets some. */
  const ask = (): Promise<number> => {
    asked++
    return fetch(`${service.url}/api/snippets/config/`, { headers: { Connection: 'close' } }).then(
      ({ status }) => status,
    )
  }

  const pids = (): readonly number[] => {
    const lines = service.logged() as readonly (LogLine & { pid: number })[]
    return [...new Set(lines.filter(({ msg }) => msg === 'request').map(({ pid }) => pid))]
  }

  const askUntilAll = async (count: number): Promise<void> => {
    while (pids().filter(isAlive).length < count) expect(await ask()).to.equal(200)
  }

  const metric = async (pattern: RegExp): Promise<number> => {
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
    return Number(pattern.exec(text)?.[1])
  }

  it('answers by three processes, and never assigns an id twice', async () => {
    await serve()
    await askUntilAll(3)
    const clients = Array.from({ length: 6 }, () => httpClient(service.url))
    const creations = clients.flatMap(client =>
      Array.from({ length: 30 }, () => client.post('/api/snippets/', content)),
    )
    const ids = (await Promise.all(creations)).map(answer => snippetOf(answer).id)
    for (const client of clients) client.close()
    expect(new Set(ids).size).to.equal(180)
  })

  it('adds up the metrics of all', async () => {
    await serve()
    await askUntilAll(3)
    // each is observed when its response has ended
    await pause(200)
    const counted =
      /^http_request_duration_seconds_count\{method="GET",route="\/api\/snippets\/config\/",status="200"\} (\d+)/m
    expect(await metric(counted)).to.equal(asked)
    expect(await (await fetch(`${service.adminUrl}/readyz`)).json()).to.deep.equal({ status: 'ready' })
  })

  it('replaces a worker that dies, later each time, and stays ready', async () => {
    await serve()
    await askUntilAll(3)
    const pauses: number[] = []
    for (let death = 0; death < 3; death++) {
      const victim = pids().filter(isAlive)[death % 3]
      if (victim === undefined) throw new Error('no worker is alive')
      process.kill(victim, 'SIGKILL')
      const told = () =>
        (service.logged() as readonly { workerPid?: number; pauseMs?: number }[]).find(
          ({ workerPid }) => workerPid === victim,
        )
      while (told() === undefined) await pause(20)
      pauses.push(told()?.pauseMs ?? 0)
      expect((await fetch(`${service.adminUrl}/readyz`)).status).to.equal(200)
      await askUntilAll(3)
    }
    expect(pauses).to.deep.equal([...pauses].sort((a, b) => a - b))
    expect(new Set(pauses).size).to.equal(3)
  })

  it('exits with 0 on SIGTERM, and no worker is left', async () => {
    const { kill, ended } = await serve()
    await askUntilAll(3)
    const workers = pids()
    kill('SIGTERM')
    expect((await ended).code).to.equal(0)
    expect(workers.filter(isAlive)).to.deep.equal([])
  })

  it('leaves no worker behind when its primary process is killed', async () => {
    const { kill } = await serve()
    await askUntilAll(3)
    const workers = pids()
    kill('SIGKILL')
    while (workers.some(isAlive)) await pause(20)
  })

  it('complains once, and exits with the same code, when no worker can start', async () => {
    await serve()
    const { port } = new URL(service.url)
    const environment = { STORAGE: 'mongo', MONGODB_URL: database.url, WORKERS: '3', PORT: port }
    const { code, stderr } = await endOf(environment)
    expect(code).to.equal(1)
    expect(stderr.match(/already in use/g)).to.have.length(1)
  })
})
