import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { attackCase } from '../../support/attack/attack-case.js'
import { runAttack } from '../../support/attack/run-attack.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'

type Closing = (socket: Socket) => void

const reset: Closing = socket => void socket.resetAndDestroy()
const halfClose: Closing = socket => void socket.end()
const leave: Closing = socket => void socket.destroy()

const list = 'GET /api/snippets-viewset/ HTTP/1.1\r\nHost: a\r\n\r\n'
const proxied = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'
const upgrade = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const post = 'POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`

/** What is sent before the connection is closed in each of the three ways. */
const beginnings: Readonly<Record<string, string>> = {
  nothing: '',
  'half a request line': 'GET /api/sn',
  'half a head': 'GET /api/snippets/ HTTP/1.1\r\nHost: a\r\nX-A:',
  'half a body': `${post}Content-Length: 1000\r\n\r\n{"title"`,
  'half a chunk': `${chunked}ff\r\n{"title"`,
  'a broken chunk': `${chunked}zz\r\n`,
  'a GET with a broken chunk': 'GET /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'an expectation': `${post}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
  'an expectation that cannot be met': `${post}Content-Length: 1000\r\nExpect: miracles\r\n\r\n`,
  'a complete request': list,
  'a hundred pipelined requests': list.repeat(100),
  CONNECT: proxied,
  'CONNECT and bytes behind it': `${proxied}${'x'.repeat(1000)}`,
  'CONNECT behind other requests': `${list}${list}${proxied}`,
  'CONNECT behind a body that is refused unread': `${post}Content-Length: 2\r\nContent-Encoding: x\r\n\r\n{}${proxied}`,
  'an Upgrade': upgrade,
  'an Upgrade and bytes behind it': `${upgrade}${'x'.repeat(1000)}`,
  'an Upgrade behind other requests': `${list}${list}${upgrade}`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  junk: '\u0000\u0001\r\n\r\n',
}

const portOf = (url: string): number => Number(new URL(url).port)

const attack = async (port: number, bytes: string, close: Closing, isPatient: boolean): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise(resolve => socket.on('error', () => {}).once('close', resolve))
  await Promise.race([once(socket, 'connect'), closed])
  if (isPatient) socket.resume()
  socket.write(bytes, 'latin1')
  await wait(0)
  if (isPatient) await Promise.race([once(socket, 'data'), closed, wait(5)])
  close(socket)
  if (close === halfClose) setTimeout(() => socket.destroy(), 10)
  await closed
}

describe('A connection that closes at any moment', function () {
  this.timeout(60_000)
  let service: ServiceProcess
  let ended = false
  let port: number
  let adminPort: number
  before(async () => {
    service = await startProcess({ ADMIN_PORT: '0' })
    void service.ended.then(() => {
      ended = true
    })
    port = portOf(service.url)
    adminPort = portOf(service.adminUrl)
  })
  after(async () => {
    service.kill('SIGKILL')
    await service.ended
  })

  const isUnharmed = async (): Promise<void> => {
    await wait(20)
    expect(ended, 'the process has ended').to.equal(false)
    expect((await fetch(`${service.url}/api/snippets-viewset/`)).status).to.equal(200)
    expect((await fetch(`${service.adminUrl}/livez`)).status).to.equal(200)
    expect(service.logged().filter(({ level }) => level >= 40)).to.deep.equal([])
  }

  for (const [what, bytes] of Object.entries(beginnings))
    it(`does not harm the process after ${what}`, async () => {
      for (const to of [port, adminPort])
        for (const close of [reset, halfClose, leave])
          for (const isPatient of [false, true]) await attack(to, bytes, close, isPatient)
      await isUnharmed()
    })

  it('does not harm the process after 3000 random attacks', async () => {
    let seed = 0
    const worker = async (): Promise<void> => {
      while (++seed <= 3000 && !ended) await runAttack(seed % 2 === 0 ? adminPort : port, attackCase(seed))
    }
    await Promise.all(Array.from({ length: 50 }, worker))
    await isUnharmed()
  })
})
