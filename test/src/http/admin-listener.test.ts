import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { listenForAdmin } from '@snippets/adapters-http/admin/admin-listener.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import type { LogEntry } from '../support/service/in-process.js'

const registry = { contentType: 'text/plain', metrics: async () => 'a_metric 1\n' }
const ready = async () => right(undefined)

const asking = `
  const [url, ...wanted] = process.argv.slice(1)
  let answer
  do {
    const response = await fetch(url)
    answer = { status: response.status, body: await response.text() }
  } while (wanted.length > 0 && !wanted.includes(String(answer.status)))
  console.log(JSON.stringify(answer))`

type Answer = Readonly<{ status: number; body: string }>

/** Asks from another process, and meanwhile blocks the event loop of this one. */
const askWhileBlocked = (url: string, ...untilStatus: readonly string[]): Answer => {
  const args = ['--input-type=module', '--eval', asking, url, ...untilStatus]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

describe('The admin listener', () => {
  const log: LogEntry[] = []
  const deps = {
    ready,
    registry,
    log: {
      warn: (fields: object, message: string) => void log.push({ level: 'warn', fields, message }),
      error: (fields: object, message: string) => void log.push({ level: 'error', fields, message }),
    },
  }
  const address = { host: '127.0.0.1', port: 0 }
  let stop: ((graceMs: number) => Promise<void>) | undefined
  const start = async (patience?: Parameters<typeof listenForAdmin>[2]): Promise<string> => {
    const listening = await listenForAdmin(deps, address, patience)
    stop = listening.stop
    return listening.url
  }
  afterEach(() => stop?.(0))

  it('logs that its thread has failed', async () => {
    const made = once(process, 'worker')
    await start()
    const [thread] = await made
    const error = new Error('planted')
    thread.emit('error', error)
    expect(log.splice(0)).to.deep.equal([
      { level: 'error', fields: { err: error }, message: 'the admin thread failed' },
    ])
  })

  it('says that the service is live while the event loop is blocked', async () => {
    const url = await start()
    expect(askWhileBlocked(`${url}/livez`)).to.deep.equal({ status: 200, body: '{"status":"live"}' })
  })

  for (const page of ['/readyz', '/metrics'])
    it(`answers 503 at ${page} while the event loop is blocked, and 200 again afterwards`, async () => {
      const url = await start({ silenceMs: 60_000, answerMs: 100 })
      const { status, body } = askWhileBlocked(url + page)
      expect(status).to.equal(503)
      expect(JSON.parse(body)).to.include({ type: 'urn:snippets:not-ready', detail: 'The service is too busy to say.' })
      let answer = await fetch(url + page)
      while (answer.status === 503) answer = await fetch(url + page)
      expect(answer.status).to.equal(200)
    })

  it('says that the service is not live once the event loop has been blocked for too long', async () => {
    const url = await start({ silenceMs: 1500, answerMs: 100 })
    expect((await fetch(`${url}/livez`)).status).to.equal(200)
    const { body } = askWhileBlocked(`${url}/livez`, '503')
    expect(JSON.parse(body)).to.include({ type: 'urn:snippets:not-live', status: 503 })
  })

  it('answers 500 when a page cannot be made', async () => {
    const listening = await listenForAdmin(
      { ...deps, registry: { contentType: 'text/plain', metrics: () => Promise.reject(new Error('planted')) } },
      address,
    )
    stop = listening.stop
    expect((await fetch(`${listening.url}/metrics`)).status).to.equal(500)
    expect((await fetch(`${listening.url}/livez`)).status).to.equal(200)
  })

  it('stops its thread also while that is being started again', async () => {
    const made = once(process, 'worker')
    await start()
    const [thread] = await made
    const remade = once(process, 'worker')
    await thread.terminate()
    const [other] = await remade
    const ended = once(other, 'exit')
    await stop?.(0)
    await ended
    log.length = 0
  })

  it('rejects with the code of the failure when it cannot listen', async () => {
    const { port } = new URL(await start())
    const failure = await listenForAdmin(deps, { host: '127.0.0.1', port: Number(port) }).catch(error => error)
    expect(failure).to.be.an.instanceOf(Error).with.property('code', 'EADDRINUSE')
  })
})
