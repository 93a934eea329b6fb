import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import type { Operation } from '@snippets/application/remote-storage/operation.js'
import type { ClientSession, MongoClient, ServerSessionId } from 'mongodb'

/** Sends one write for an operation, in the session that it is given. */
export type SendWrite = <A>(operation: Operation, send: (session: ClientSession) => Promise<A>) => Promise<A>

/**
 * Records whether a write was sent: the driver reports each command that it starts, with its session. The error of a write
 * does not show that, because the driver retries: the error of a retry without a server looks as if nothing was ever sent.
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
