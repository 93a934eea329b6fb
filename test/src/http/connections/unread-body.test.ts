import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'

const kilobyte = ' '.repeat(1024)
const chunk = `400\r\n${kilobyte}\r\n`
const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
const withLength = (length: number, headers = ''): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${headers}\r\n`
const get = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'

/** The ways in which ordinary code answers. */
const answers: Readonly<Record<string, (req: IncomingMessage, res: ServerResponse) => void>> = {
  'end with a text': (req, res) => res.end(`to ${req.url}`),
  'end with a text and an encoding': (req, res) => res.end(`to ${req.url}`, 'latin1'),
  'end with bytes': (req, res) => res.end(Buffer.from(`to ${req.url}`)),
  'write, then end': (req, res) => {
    res.write(`to ${req.url}`)
    res.end()
  },
  'a head, then end': (req, res) => {
    const text = `to ${req.url}`
    res.writeHead(200, 'Fine', { 'Content-Length': text.length }).end(text)
  },
  'end with a callback': (req, res) => {
    res.write('to ')
    res.end(req.url, () => res.emit('called back'))
  },
  'end a turn later': (req, res) => void setImmediate(() => res.end(`to ${req.url}`)),
}

describe('An answer before the body was read', () => {
  let server: Listening
  let connection: Connection
  const open: Socket[] = []
  const serve = async (listener: RequestListener): Promise<void> => {
    server = await listen(listener, { host: '127.0.0.1', port: 0 })
    connection = await openConnection(server.url)
  }
  afterEach(async () => {
    connection.destroy()
    for (const socket of open.splice(0)) socket.destroy()
    await server.stop(0)
  })

  for (const [how, answer] of Object.entries(answers))
    for (const [what, head, rest] of [
      ['a length', withLength(500 * 1024), kilobyte.repeat(500)],
      ['chunks', chunked, `${chunk.repeat(500)}0\r\n\r\n`],
      ['no body', get.replace('/next', '/'), ''],
    ] as const)
      it(`keeps the connection usable: ${how}, after ${what}`, async () => {
        await serve(answer)
        connection.send(head)
        const first = await connection.answer('POST')
        expect(first.text).to.equal('to /')
        expect(first.headers.connection).to.equal('keep-alive')
        connection.send(rest + get)
        expect((await connection.answer('GET')).text).to.equal('to /next')
      })

  it('calls back when it has been sent', async () => {
    let calls = 0
    await serve((_req, res) => res.once('called back', () => calls++) && answers['end with a callback']?.(_req, res))
    connection.send(`${withLength(2)}{}${get}`)
    await connection.answer('POST')
    await connection.answer('GET')
    await new Promise(setImmediate)
    expect(calls).to.equal(2)
  })

  for (const [what, head] of [
    ['announces more than a megabyte', withLength(1024 * 1024 + 1)],
    ['may or may not come', withLength(10, 'Expect: 100-continue\r\n')],
  ] as const)
    it(`closes the connection when the body ${what}`, async () => {
      await serve((_req, res) => res.end('no'))
      connection.send(head)
      const answer = await connection.answer('POST')
      expect(answer.headers.connection).to.equal('close')
      expect(answer.interim).to.deep.equal([])
      expect(await connection.ended()).to.equal('closed')
    })

  it('cuts off a client whose chunks do not end', async () => {
    await serve((_req, res) => res.end('no'))
    connection.send(chunked)
    expect((await connection.answer('POST')).headers.connection).to.equal('keep-alive')
    let sent = 0
    for (; connection.isOpen() && sent < 20_000; sent += 100) {
      connection.send(chunk.repeat(100))
      await wait(1)
    }
    expect(sent).to.be.lessThan(20_000)
  })

  for (const [what, head, piece] of [
    ['a length', 'Content-Length: 20480000', kilobyte],
    ['chunks', 'Transfer-Encoding: chunked', chunk],
  ] as const)
    it(`reads little of a long body that a GET has: ${what}`, async () => {
      const sockets: Socket[] = []
      await serve((req, res) => {
        sockets.push(req.socket)
        res.write('a list in')
        setTimeout(() => res.end(' two pieces'), 100)
      })
      connection.send(`GET / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)
      for (let i = 0; i < 200; i++) connection.send(piece.repeat(100))
      expect((await connection.answer('GET')).text).to.equal('a list in two pieces')
      for (const socket of sockets) {
        if (!socket.closed) await once(socket, 'close')
        expect(socket.bytesRead).to.be.lessThan(3 * 1024 * 1024)
      }
    })

  /** A client that goes on sending when the server has closed its side. */
  const openStubborn = async (): Promise<{ socket: Socket; closed: Promise<'closed' | 'reset'> }> => {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true })
    open.push(socket)
    const closed = new Promise<'closed' | 'reset'>(resolve =>
      socket.once('error', () => resolve('reset')).once('close', () => resolve('closed')),
    )
    await once(socket, 'connect')
    socket.write(withLength(10 * 1024 * 1024))
    socket.resume()
    await once(socket, 'end')
    return { socket, closed }
  }

  it('does not reset a connection on which the client sends a little more after the close', async () => {
    await serve((_req, res) => res.end('no'))
    const { socket, closed } = await openStubborn()
    for (let i = 0; i < 20; i++) {
      socket.write(kilobyte.repeat(20))
      await wait(100)
    }
    socket.end()
    expect(await closed).to.equal('closed')
  })

  it('cuts off a client that sends too much after the close', async () => {
    await serve((_req, res) => res.end('no'))
    const { socket, closed } = await openStubborn()
    const write = (): void => {
      while (socket.writable && socket.write(kilobyte.repeat(100)));
    }
    socket.on('drain', write)
    write()
    expect(await closed).to.equal('reset')
    expect(socket.bytesWritten).to.be.lessThan(30 * 1024 * 1024)
  })

  it('lets a client that reads only after sending a long body still read the answer', async () => {
    await serve((_req, res) => res.end('no'))
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' })
    open.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    socket.write(withLength(20 * 1024 * 1024))
    for (let i = 0; i < 20; i++) socket.write(kilobyte.repeat(1024))
    // by now the server has read as much as it wants to, and reads no more
    await wait(800)
    const received = once(socket, 'data')
    socket.resume()
    expect(String((await received)[0])).to.match(/^HTTP\/1.1 200 .*no$/s)
  })

  it('gives up soon on many clients that go on sending after the close', async () => {
    await serve((_req, res) => res.end('no'))
    const clients = await Promise.all(Array.from({ length: 48 }, openStubborn))
    let ended = 0
    for (const { socket, closed } of clients) {
      void closed.then(() => ended++)
      socket.write(kilobyte.repeat(10 * 1024))
    }
    while (ended < 24) await wait(50)
  })

  it('does not wait long for a client that neither sends nor closes after the close', async () => {
    await serve((_req, res) => res.end('no'))
    const { socket, closed } = await openStubborn()
    await wait(1500)
    // the first is answered with a reset, which the second meets
    for (const question of ['anybody', 'there']) {
      socket.write(question)
      await wait(50)
    }
    expect(await closed).to.equal('reset')
  })

  it('ignores requests after the close', async () => {
    const asked: unknown[] = []
    await serve((req, res) => asked.push(req.url) && res.end('no'))
    const { socket } = await openStubborn()
    socket.write(get.repeat(100))
    await wait(50)
    expect(asked).to.deep.equal(['/'])
  })

  it('tells a listener that waits for the body that the connection has closed', async () => {
    let ended = false
    const requests: IncomingMessage[] = []
    await serve((req, res) => {
      requests.push(req.once('end', () => (ended = true)))
      res.writeHead(413, { Connection: 'close' }).end()
    })
    connection.send(`${withLength(100)}{`)
    expect((await connection.answer('POST')).status).to.equal(413)
    for (const req of requests) if (!req.destroyed) await once(req, 'close')
    expect(ended).to.equal(false)
  })
})
