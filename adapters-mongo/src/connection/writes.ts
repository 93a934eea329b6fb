import type { Operation } from '@snippets/remote-storage/operation.js'
import type { ClientSession, MongoClient, ServerSessionId } from 'mongodb'
import { writeMs } from '../collections/timeouts.js'

type WriteOptions = Readonly<{ session?: ClientSession; maxTimeMS?: number }>

/** A sender of one write of an operation. `send` MUST use the options that it gets. */
export type SendWrite = <A>(operation: Operation, send: (options: WriteOptions) => Promise<A>) => Promise<A>

/** Returns an operation of its own for a write that a retry may repeat. A lost reply leaves the caller `unapplied`. */
export const repeatable = (signal: AbortSignal): Operation => ({ outcome: 'unapplied', signal })

/**
 * Creates a function that sends writes. The outcome of an operation is `unknown` from the moment when the driver sends
 * its write until `send` resolves. The driver reports each sent command with its session. The driver throws the same
 * error whether the first attempt or its retry found no server, so the error does not prove that nothing was sent.
 */
export const createWriteSender = (client: MongoClient): SendWrite => {
  const operations = new Map<string, Operation>()
  const endings = new Set<() => void>()
  client.on('commandStarted', ({ command }) => {
    const operation = operations.get(sessionKey(command.lsid))
    if (operation !== undefined) operation.outcome = 'unknown'
  })
  // the driver no longer reports the commands of this server then, although connections in use may still send some
  client.on('serverClosed', () => {
    for (const endUnlessSent of endings) endUnlessSent()
  })
  return async (operation, send) => {
    const { signal } = operation
    signal.throwIfAborted()
    const session = client.startSession({ causalConsistency: false })
    const key = sessionKey(session.id)
    // The driver sends nothing in a session that has ended, not even a retry. The session ends at once, as there is no
    // transaction to abort.
    const endSession = (): void => {
      if (operations.get(key) === operation) operations.delete(key)
      // the server may still run the write, so the driver must not give its session to another write
      if (operation.outcome === 'unknown') session.serverSession.isDirty = true
      void session.endSession()
    }
    const endUnlessSent = (): void => {
      if (operation.outcome === 'unapplied') endSession()
    }
    operations.set(key, operation)
    endings.add(endUnlessSent)
    signal.addEventListener('abort', endSession)
    try {
      const result = await send({ session, maxTimeMS: writeMs })
      operation.outcome = 'unapplied'
      return result
    } finally {
      signal.removeEventListener('abort', endSession)
      endings.delete(endUnlessSent)
      endSession()
    }
  }
}

const sessionKey = (lsid: ServerSessionId | undefined): string => lsid?.id.toString('hex') ?? ''
