import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { watchIdle } from '@snippets/adapters-http/server/idle-connections.js'
import type { PipelineQueue } from '@snippets/adapters-http/server/pipeline-queue.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'

describe('A connection without a request in progress', () => {
  it('is not idle at its first check, because its request may be unread, and is idle at a later one', async () => {
    let [checks, closed] = [0, 0]
    const socket = {
      get bytesRead() {
        checks++
        return 0
      },
      destroy: () => closed++,
    } as unknown as Socket
    const server = Object.assign(new EventEmitter(), { listening: true }) as unknown as Server
    const pipelines = { isServing: () => false } as unknown as PipelineQueue
    const closeIdle = watchIdle(server, new Set([socket]), pipelines)
    server.emit('listening')
    await eventually(() => checks === 1)
    closeIdle()
    expect(closed).to.equal(0)
    await eventually(() => {
      closeIdle()
      return closed > 0
    })
    server.emit('close')
  })
})
