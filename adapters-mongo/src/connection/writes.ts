import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import type { Operation } from '@snippets/application/remote-storage/operation.js'
import type { ClientSession, MongoClient, ServerSessionId } from 'mongodb'

/** Sends one write of an operation, in the given session. */
export type SendWrite = <A>(operation: Operation, send: (session: ClientSession) => Promise<A>) => Promise<A>

/**
 * Sends writes. The outcome of the operation is `unknown` while a write is sent and not answered. The driver reports each
 * command with its session. The error of a write does not tell: if the driver retries and finds no server, the error is the
 * same as if it had sent nothing.
 */
export const sendWriteWith = (client: MongoClient): SendWrite => {
  const unsent = new Map<string, Operation>()
  client.on('commandStarted', ({ command }) => {
    const operation = unsent.get(sessionKey(command.lsid))
    if (operation !== undefined) operation.outcome = 'unknown'
  })
  return async (operation, send) => {
    if (operation.isOver) throw lateWrite
    const session = client.startSession({ causalConsistency: false })
    const name = sessionKey(session.id)
    const forget = (): void => {
      if (unsent.get(name) === operation) unsent.delete(name)
      // ends at once, as there is no transaction to abort
      void session.endSession()
    }
    unsent.set(name, operation)
    // the driver sends nothing in a session that has ended
    operation.onEnd = () => {
      if (operation.outcome === 'unapplied') forget()
    }
    try {
      const answer = await send(session)
      operation.outcome = 'unapplied'
      return answer
    } finally {
      forget()
    }
  }
}

const lateWrite = new LoggableError('not sent: its caller has been answered')

const sessionKey = (lsid: ServerSessionId | undefined): string => lsid?.id.toString('hex') ?? ''
