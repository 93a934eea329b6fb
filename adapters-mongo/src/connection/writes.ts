import type { Operation } from '@snippets/remote-storage/operation.js'
import type { ClientSession, MongoClient, ServerSessionId } from 'mongodb'

/** A sender of one write of an operation. `send` MUST use the session that it gets. */
export type SendWrite = <A>(operation: Operation, send: (session: ClientSession) => Promise<A>) => Promise<A>

/**
 * Creates a function that sends writes. The outcome of an operation is `unknown` from the moment when the driver sends
 * its write until `send` resolves. The driver reports each sent command with its session. The driver throws the same
 * error whether the first attempt or its retry found no server, so the error does not prove that nothing was sent.
 */
export const createWriteSender = (client: MongoClient): SendWrite => {
  const operations = new Map<string, Operation>()
  client.on('commandStarted', ({ command }) => {
    const operation = operations.get(sessionKey(command.lsid))
    if (operation !== undefined) operation.outcome = 'unknown'
  })
  return async (operation, send) => {
    const { signal } = operation
    signal.throwIfAborted()
    const session = client.startSession({ causalConsistency: false })
    const key = sessionKey(session.id)
    const endSession = (): void => {
      if (operations.get(key) === operation) operations.delete(key)
      // ends at once, as there is no transaction to abort
      void session.endSession()
    }
    // the driver sends nothing in a session that has ended
    const endUnlessSent = (): void => {
      if (operation.outcome === 'unapplied') endSession()
    }
    operations.set(key, operation)
    signal.addEventListener('abort', endUnlessSent)
    try {
      const result = await send(session)
      operation.outcome = 'unapplied'
      return result
    } finally {
      signal.removeEventListener('abort', endUnlessSent)
      endSession()
    }
  }
}

const sessionKey = (lsid: ServerSessionId | undefined): string => lsid?.id.toString('hex') ?? ''
