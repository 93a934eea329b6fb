import type { ClientSession, MongoClient } from 'mongodb'
import type { Attempt } from './attempt.js'

/** Sends one write on behalf of these attempts, in a session of its own. */
export const sendWrite = async <A>(
  client: MongoClient,
  attempts: readonly Attempt[],
  send: (session: ClientSession) => Promise<A>,
): Promise<A> => {
  const session = client.startSession({ causalConsistency: false })
  const hasSentCommand = watchSession(session)
  const write = {
    mayBeApplied: () => hasSentCommand() || !session.hasEnded,
    drop: () => {
      // the driver refuses to send a command in a session that has ended
      if (!hasSentCommand() && attempts.every(attempt => attempt.isOver())) void session.endSession()
    },
  }
  for (const attempt of attempts) attempt.sends(write)
  try {
    return await send(session)
  } finally {
    // ends at once, as there is no transaction to abort
    void session.endSession()
  }
}

const never = 0

/**
 * Tells whether a command of this session has gone out. The error of a write does not tell: the driver retries, and a
 * retry that finds no server looks as if nothing had ever been sent. But mongodb 7.9.0 sets `lastUse` of the server session
 * whenever it prepares a command for a connection (`applySession` in its src/sessions.ts).
 */
export const watchSession = (session: ClientSession): (() => boolean) => {
  session.serverSession.lastUse = never
  return () => session.serverSession.lastUse !== never
}
