import { Socket } from 'node:net'
import { setImmediate as turnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import { text } from '@snippets/adapters-http/admin/admin-app.js'
import { questions } from '@snippets/adapters-http/admin/admin-thread.js'
import { ownTurn } from '@snippets/adapters-http/answer/turns.js'
import { GatheredRequest } from '@snippets/adapters-http/server/gathered-request.js'
import { readingTurns } from '@snippets/adapters-http/server/reading-turns.js'
import { expect } from 'chai'

describe('Of many large answers', () => {
  it('one is continued in each turn of the event loop, in order', async () => {
    const continued: number[] = []
    for (const index of [0, 1, 2]) ownTurn().then(() => continued.push(index))
    const seen: string[] = []
    while (continued.length < 3) {
      await turnOfTheLoop()
      seen.push(continued.join(''))
    }
    expect(seen.filter(text => text !== '')).to.deep.equal(['0', '01', '012'])
  })
})

describe('Of many sockets whose data is discarded', () => {
  it('one is resumed in each turn, in order', async () => {
    const resumed: number[] = []
    const counts = new Set<number>()
    const sockets = [0, 1, 2].map(index => new Socket().on('resume', () => resumed.push(index)))
    for (const socket of sockets) readingTurns.wait(socket)
    expect(sockets.map(socket => readingTurns.isWaiting(socket))).to.deep.equal([true, true, true])
    while (resumed.length < 3) {
      counts.add(resumed.length)
      await wait(1)
    }
    expect(resumed).to.deep.equal([0, 1, 2])
    expect([...counts]).to.deep.equal([0, 1, 2])
    expect(sockets.map(socket => readingTurns.isWaiting(socket))).to.deep.equal([false, false, false])
  })

  it('one that closes is forgotten', async () => {
    const sockets = Array.from({ length: 100 }, () => new Socket())
    for (const socket of sockets) readingTurns.wait(socket)
    for (const socket of sockets) socket.destroy()
    await turnOfTheLoop()
    await turnOfTheLoop()
    expect(sockets.filter(socket => readingTurns.isWaiting(socket))).to.deep.equal([])
  })

  it('16 are no crowd yet', () => {
    const sockets = Array.from({ length: 17 }, () => new Socket())
    for (const socket of sockets.slice(1)) readingTurns.wait(socket)
    expect(readingTurns.isCrowded).to.equal(false)
    for (const socket of sockets) readingTurns.wait(socket)
    expect(readingTurns.isCrowded).to.equal(true)
    for (const socket of sockets) socket.destroy()
  })

  it('one that waits again and again has one listener more', () => {
    const socket = new Socket()
    const before = socket.listenerCount('close')
    for (let i = 0; i < 3; i++) readingTurns.wait(socket)
    expect(socket.listenerCount('close')).to.equal(before + 1)
    socket.destroy()
  })

  it('a closed one never waits', () => {
    const socket = new Socket().destroy()
    readingTurns.wait(socket)
    expect(readingTurns.isWaiting(socket)).to.equal(false)
  })

  it('several are resumed in a turn when many wait', async () => {
    let resumed = 0
    const sockets = Array.from({ length: 501 }, () => new Socket().on('resume', () => resumed++))
    for (const socket of sockets) readingTurns.wait(socket)
    while (resumed === 0) await wait(1)
    expect(resumed).to.be.greaterThan(2)
    for (const socket of sockets) socket.destroy()
  })
})

describe('Of many sockets that send bodies in tiny pieces', () => {
  const piece = Buffer.from('x')
  const open = () => new Socket().resume()
  const pushTo = (socket: Socket, pieces: number, one = piece): void => {
    const req = new GatheredRequest(socket)
    for (let i = 0; i < pieces; i++) req.push(one)
  }

  it('one is read in each turn of the event loop, in order', async () => {
    const sockets = [open(), open(), open()]
    for (const socket of sockets) pushTo(socket, 1024)
    const seen: string[] = []
    while (sockets.some(socket => socket.isPaused())) {
      seen.push(sockets.map(socket => (socket.isPaused() ? 'waits' : 'reads')).join(' '))
      await turnOfTheLoop()
    }
    expect(seen).to.deep.equal(['waits waits waits', 'reads waits waits', 'reads reads waits'])
  })

  it('none waits for fewer or larger pieces', () => {
    const sockets = [open(), open()] as const
    pushTo(sockets[0], 1023)
    pushTo(sockets[1], 1024, Buffer.alloc(64))
    expect(sockets.map(socket => socket.isPaused())).to.deep.equal([false, false])
  })

  it('one that closes while it waits holds up no other', async () => {
    const sockets = [open(), open()] as const
    for (const socket of sockets) pushTo(socket, 1024)
    sockets[0].destroy()
    await turnOfTheLoop()
    await turnOfTheLoop()
    expect(sockets[1].isPaused()).to.equal(false)
    pushTo(sockets[0], 1024)
    pushTo(sockets[1], 1024)
    await turnOfTheLoop()
    expect(sockets[1].isPaused()).to.equal(false)
  })
})

describe('Of many clients that ask for the metrics', () => {
  it('fifty are answered in a turn of the event loop, so that /livez is answered between them', async () => {
    const { ask, answered } = questions(() => {}, 60_000)
    let count = 0
    const clients = Array.from({ length: 130 }, async () => {
      await ask('metrics')
      count++
    })
    const counts: number[] = []
    let turn = turnOfTheLoop()
    void answered('metrics', text('text/plain', 'a_metric 1\n'))
    while (count < clients.length) {
      await turn
      counts.push(count)
      turn = turnOfTheLoop()
    }
    expect(counts.map((sum, i) => sum - (counts[i - 1] ?? 0)).every(some => some <= 50)).to.equal(true)
  })
})
