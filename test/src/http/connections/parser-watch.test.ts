import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { watchParser } from '@snippets/adapters-http/server/parser-watch.js'
import { expect } from 'chai'

type Watched = Socket & { parser?: { incoming: IncomingMessage | null } }

describe('A parser whose request has been answered before Node made a response', () => {
  const server = createServer()
  let client: Socket | undefined
  afterEach(() => {
    client?.destroy()
    server.close()
  })

  it('keeps nothing of the request while the connection is idle', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Watched]
    const answered = new Promise<IncomingMessage>(resolve =>
      watchParser(socket, req => {
        resolve(req)
        return 'answered'
      }),
    )
    client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    const req = await answered
    await new Promise(setImmediate)
    expect(req).to.be.an.instanceOf(IncomingMessage)
    expect(socket.parser).to.have.property('incoming', null)
  })
})
