import { execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { on, once } from 'node:events'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@snippets/adapters-mongo/connection/connection.js'
import { expect } from 'chai'
import { describeWithDatabase } from '../../support/mongo/database.js'
import { root } from '../../support/workspace-root.js'

// Each test fails without its part of patches/mongodb@7.9.0.patch.
describeWithDatabase('The driver of MongoDB', ({ newFront, closing }) => {
  const connected = async (options: string) => {
    const front = await newFront()
    const { client, db } = createClient(front.url + options)
    closing(client)
    await client.connect()
    return { front, client, db }
  }

  it('fails a large write that the network stops, and opens another connection', async () => {
    const { front, db } = await connected('&maxPoolSize=1&socketTimeoutMS=300&retryWrites=false')
    front.intercept(({ ping }) => (ping ? 'deaf' : undefined))
    await db.command({ ping: 1 })
    front.intercept(() => undefined)
    const rows = Array.from({ length: 32 }, () => ({ text: 'x'.repeat(1_000_000) }))
    expect(await db.collection('rows').insertMany(rows).catch(String)).to.match(/connection \d+ to .* timed out/)
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
  })

  it('fails a heartbeat on a destroyed socket, and sends the next one on another', async () => {
    const sockets: Socket[] = []
    const collect = (message: unknown): void => {
      if (message instanceof Object && 'socket' in message && message.socket instanceof Socket)
        sockets.push(message.socket)
    }
    subscribe('net.client.socket', collect)
    const connecting = connected('&heartbeatFrequencyMS=500&serverMonitoringMode=poll')
    const { front, client } = await connecting.finally(() => unsubscribe('net.client.socket', collect))
    // the driver sends the heartbeat at once, before the sockets emit `close`
    client.once('serverHeartbeatStarted', () => {
      for (const socket of sockets) if (front.url.includes(`:${socket.remotePort}`)) socket.destroy()
    })
    const [failed] = await once(client, 'serverHeartbeatFailed')
    expect(failed.failure.message).to.match(/^connection .* closed$/)
    for await (const [succeeded] of on(client, 'serverHeartbeatSucceeded'))
      if (succeeded.connectionId === failed.connectionId) return
  })

  it('closes a connection on which a message is shorter than its header', async () => {
    const connection = pathToFileURL(join(root, 'adapters-mongo/dist/connection/connection.js'))
    // in a process of its own, which the fault would block
    const script = `
      import { createServer } from 'node:net'
      import { createClient } from ${JSON.stringify(connection)}
      const server = createServer(socket => socket.on('error', () => {}).write(Buffer.alloc(16)))
      server.listen(0, '127.0.0.1', async () => {
        const url = 'mongodb://127.0.0.1:' + server.address().port + '/?serverSelectionTimeoutMS=300'
        console.log(await createClient(url).client.connect().catch(({ cause }) => String(cause)))
        process.exit()
      })`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 10_000 })
    expect((await run).stdout).to.contain('Message size')
  })
})
