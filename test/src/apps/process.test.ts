import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { listenOnFreePort } from '../support/free-port.js'
import { logLinesOf } from '../support/log-lines.js'
import { type Ended, endOf, importing, type ServiceProcess, startProcess } from '../support/service/child-process.js'

const hasCurl = (): boolean => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const answerTo = async (sent: ClientRequest): Promise<IncomingMessage> => {
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('there is no response')
  response.resume()
  await once(response, 'end')
  return response
}

/** Sends requests over one connection until the service closes it, which it says or, between two requests, just does. */
const keepAsking = async (url: string, onAnswer: () => void): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let isKept = true; isKept; ) {
    const answer = await answerTo(request(`${url}/api/snippets/`, { agent }).end()).catch(() => undefined)
    if (answer !== undefined) onAnswer()
    isKept = answer !== undefined && answer.headers.connection !== 'close'
  }
}

const slowCreation = (url: string): ClientRequest => {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': slowBody.length }
  const sent = request(`${url}/api/snippets/`, { method: 'POST', headers })
  sent.write(slowBody.slice(0, 10))
  return sent
}
const slowBody = JSON.stringify({ title: 'slow', code: 'x', language: 'y' })

describe('The process', () => {
  let service: ServiceProcess | undefined
  const serve = async (environment: Environment = {}): Promise<ServiceProcess> => {
    service = await startProcess(environment)
    return service
  }
  afterEach(() => service?.kill('SIGKILL'))

  const itWithCurl = hasCurl() ? it : it.skip
  itWithCurl('prints its URL and curl lines that work when pasted', async () => {
    const { greeting, url } = await serve()
    expect(greeting).to.match(/^Snippets is listening on http:\/\/127\.0\.0\.1:\d+\n/)
    const lines = greeting.match(/^ {2}curl .*/gm) ?? []
    const answers = []
    for (const line of lines) answers.push(await pasted(line))
    const snippet = { title: 'Hello', code: 'print("hello")', language: 'python' }
    expect(answers[0]).to.deep.include({ id: 1, ...snippet })
    expect(answers[1]?.snippets).to.have.length(1)
    expect(lines.every(line => line.includes(url))).to.equal(true)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`exits with 0 on ${signal} and answers every request that it received`, async () => {
      const { url, kill, ended } = await serve()
      let answers = 0
      const stopMidway = () => {
        answers++
        if (answers === 200) kill(signal)
      }
      await Promise.all(Array.from({ length: 8 }, () => keepAsking(url, stopMidway)))
      expect(answers).to.be.greaterThan(200)
      const { code, stderr } = await ended
      expect(code).to.equal(0)
      const messages = messagesOf(stderr)
      expect(messages.filter(message => message !== 'request')).to.deep.equal(['stopping', 'stopped'])
      expect(messages.filter(message => message === 'request')).to.have.length(answers)
    })

  it('cuts a request that outlasts SHUTDOWN_GRACE_MS', async () => {
    const { url, kill, ended } = await serve({ SHUTDOWN_GRACE_MS: '300' })
    const creation = slowCreation(url)
    const cut = once(creation, 'error')
    await answerTo(request(`${url}/api/snippets/`).end())
    kill('SIGTERM')
    expect((await ended).code).to.equal(0)
    await cut
    // shorter than the default grace period
  }).timeout(8_000)

  it('quits at once on a second signal', async () => {
    const { url, kill, ended, logged } = await serve({ SHUTDOWN_GRACE_MS: '600000' })
    slowCreation(url).on('error', () => {})
    await answerTo(request(`${url}/api/snippets/`).end())
    kill('SIGTERM')
    while (!logged().some(({ msg }) => msg === 'stopping')) await pause(10)
    kill('SIGTERM')
    expect((await ended).code).to.equal(1)
  })

  it('below npm treats two signals in quick succession as one, and quits at once on a later one', async () => {
    const { url, kill, ended } = await serve({ npm_lifecycle_event: 'start' })
    slowCreation(url).on('error', () => {})
    await answerTo(request(`${url}/api/snippets/`).end())
    kill('SIGINT')
    await pause(100)
    kill('SIGINT')
    await pause(400)
    expect(await Promise.race([ended, 'still there'])).to.equal('still there')
    await pause(1000)
    kill('SIGINT')
    expect((await ended).code).to.equal(1)
  })

  it('exits with 78 and lists every fault when the settings are wrong', async () => {
    const { code, stdout, stderr } = await endOf({
      PORT: 'eighty',
      USERS: 'a,a',
      STORAGE: 'mongo',
      MONGODB_URL: 'x:hush',
    })
    expect({ code, stdout }).to.deep.equal({ code: 78, stdout: '' })
    expect(stderr.match(/^ {2}[A-Z_]+/gm)).to.deep.equal(['  PORT', '  USERS'])
    expect(stderr).to.not.contain('hush')
  })

  it('exits with 1 and one sentence when a port is in use, or the machine does not have HOST', async () => {
    const server = createServer()
    const port = await listenOnFreePort(server)
    const inUse = (setting: string) =>
      `Cannot listen on port ${port} of 127.0.0.1: it is already in use. Set ${setting} to another port, or to 0 for any free one.\n`
    for (const [environment, stderr] of [
      [{ PORT: String(port) }, inUse('PORT')],
      [{ PORT: '0', ADMIN_PORT: String(port) }, inUse('ADMIN_PORT')],
      [
        { PORT: '0', HOST: '192.0.2.1' },
        'Cannot listen on port 0 of 192.0.2.1: this machine has no such address. Set HOST to one that it has.\n',
      ],
    ] as const)
      expect(await endOf(environment)).to.deep.equal({ code: 1, signal: null, stdout: '', stderr } satisfies Ended)
    server.close()
  })

  it('exits with 78 and one sentence without the password when the driver rejects MONGODB_URL', async () => {
    const url = 'mongodb://user:hush@127.0.0.1/?bogus=1'
    const { code, stderr } = await endOf({ PORT: '0', STORAGE: 'mongo', MONGODB_URL: url })
    expect({ code, stderr }).to.deep.equal({
      code: 78,
      stderr: 'MONGODB_URL cannot be used: option bogus is not supported.\n',
    })
  })

  for (const fault of ['throw new Error("planted")', 'Promise.reject(new Error("planted"))'])
    it(`logs the uncaught ${fault} and exits with 1`, async () => {
      const { kill, ended } = await serve({ NODE_OPTIONS: importing(`process.on('SIGUSR2', () => { ${fault} })`) })
      kill('SIGUSR2')
      const { code, stderr } = await ended
      expect(code).to.equal(1)
      const { level, err } = JSON.parse(stderr)
      expect({ level, message: err.message }).to.deep.equal({ level: 60, message: 'planted' })
    })
})

const pasted = (line: string): Promise<{ snippets?: unknown[] }> =>
  new Promise((resolve, reject) =>
    execFile('sh', ['-c', line], (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout)))),
  )

const messagesOf = (log: string): readonly string[] => logLinesOf(log).map(({ msg }) => msg)
