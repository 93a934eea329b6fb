import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Observation } from '@snippets/adapters-http/koa/observation.js'
import { expect } from 'chai'
import type { Middleware } from 'koa'
import { openConnection } from '../support/http/raw-http.js'
import { closedGate } from '../support/service/gate.js'
import { servicePerTest } from '../support/service/mocha-service.js'

describe('An observed request', () => {
  const start = servicePerTest()

  it('is one whose client left when the connection was lost before the answer was written', async () => {
    const seen: Observation[] = []
    const lose: Middleware = (ctx, next) => {
      ctx.req.socket.destroy()
      return next()
    }
    const { url } = await start({ middleware: [lose], observe: observation => void seen.push(observation) })
    await fetch(`${url}/api/snippets/config/`).catch(() => {})
    while (seen.length === 0) await wait(5)
    expect(seen).to.have.length(1)
    expect(seen[0]).to.include({ clientLeft: true, status: undefined, bytes: 0 })
  })

  it('is one whose client left when that was after its whole body had been read', async () => {
    const seen: Observation[] = []
    const gate = closedGate()
    const { url } = await start({
      observe: observation => void seen.push(observation),
      store: memory => ({ ...memory, create: draft => () => gate.pass().then(memory.create(draft)) }),
    })
    const arrived = gate.arrival()
    const body = '{"title":"t","code":"c","language":"l"}'
    const head = `POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${head}\r\n\r\n${body}`))
    await arrived
    // one that only ended its side would still get its answer
    socket.resetAndDestroy()
    while (seen.length === 0) await wait(5)
    gate.open()
    expect(seen[0]).to.include({ clientLeft: true, status: undefined, bytes: 0 })
  })

  it('has no status when its client left after 100 Continue', async () => {
    const seen: Observation[] = []
    const { url } = await start({ observe: observation => void seen.push(observation) })
    const head = 'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9'
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`),
    )
    socket.once('data', () => socket.resetAndDestroy())
    while (seen.length === 0) await wait(5)
    expect(seen[0]).to.include({ clientLeft: true, status: undefined })
    expect(seen[0]?.bytes).to.be.greaterThan(0)
  })

  it('counts the time that it waited for its turn', async () => {
    const seen: Observation[] = []
    const gate = closedGate()
    const { url, load } = await start({
      observe: observation => void seen.push(observation),
      limits: { requests: 1 },
      store: memory => ({ ...memory, get: id => () => gate.pass().then(memory.get(id)) }),
    })
    const arrived = gate.arrival()
    const first = fetch(`${url}/api/snippets/1/`)
    await arrived
    const second = fetch(`${url}/api/snippets/config/`)
    while (load().waiting === 0) await wait(5)
    const since = performance.now()
    await wait(50)
    const waitedSeconds = (performance.now() - since) / 1000
    gate.open()
    await Promise.all([first, second])
    while (seen.length < 2) await wait(5)
    const waited = seen.find(({ route }) => route === '/api/snippets/config/')
    expect(waited?.seconds).to.be.at.least(waitedSeconds)
  })

  it('has the bytes of its own answer, and none of the next, whose requests came with it', async () => {
    const seen: Observation[] = []
    const gate = closedGate()
    const { url } = await start({
      observe: observation => void seen.push(observation),
      store: memory => ({ ...memory, get: id => () => gate.pass().then(memory.get(id)) }),
    })
    const arrived = gate.arrival()
    const connection = await openConnection(url)
    const targets = ['/api/snippets/1/', ...Array<string>(4).fill('/api/snippets/config/')]
    connection.send(targets.map(target => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
    await arrived
    gate.open()
    for (const _ of targets) await connection.answer('GET')
    while (seen.length < targets.length) await wait(5)
    const bytes = seen.slice(1).map(observation => observation.bytes)
    expect(Math.max(...bytes) - Math.min(...bytes)).to.be.lessThan(5)
    connection.destroy()
  })
})
