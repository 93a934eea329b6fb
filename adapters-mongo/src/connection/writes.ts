import type { Job } from '@snippets/remote-storage/job.js'
import type { ClientSession, MongoClient, ServerSessionId } from 'mongodb'
import { writeMs } from './timeouts.js'

type WriteOptions = Readonly<{ session?: ClientSession; maxTimeMS?: number }>

/** A sender of one write of a job. `send` MUST use the options that it gets. */
export type SendWrite = <A>(job: Job, send: (options: WriteOptions) => Promise<A>) => Promise<A>

/** Returns a separate job for a write that may stay if its operation fails: the caller's job stays `unapplied`. */
export const makeHarmlessJob = (signal: AbortSignal): Job => ({ outcome: 'unapplied', signal })

/**
 * Creates a function that sends writes. The outcome of a job is `unknown` from the moment when the driver sends
 * its write until `send` resolves. The driver reports each sent command with its session. The driver throws the same
 * error whether the first attempt or its retry found no server, so the error does not prove that nothing was sent.
 */
export const createWriteSender = (client: MongoClient): SendWrite => {
  const writes = new Map<string, Readonly<{ job: Job; endSession: () => void }>>()
  client.on('commandStarted', ({ command }) => {
    const job = writes.get(sessionKey(command.lsid))?.job
    if (job === undefined) return
    job.isRepeated = job.outcome === 'unknown'
    job.outcome = 'unknown'
  })
  // The driver then reports no commands of this server, although connections in use may still send some. A write that
  // is not reported must not go out.
  client.on('serverClosed', () => {
    for (const { job, endSession } of writes.values()) if (job.outcome === 'unapplied') endSession()
  })
  return async (job, send) => {
    const { signal } = job
    signal.throwIfAborted()
    const session = client.startSession({ causalConsistency: false })
    const key = sessionKey(session.id)
    // The driver sends nothing in a session that has ended, not even a retry. The session ends at once, as there is no
    // transaction to abort.
    const endSession = (): void => {
      // another write may have got the session
      if (writes.get(key) === write) writes.delete(key)
      // the server may still run the write, so the driver must not give its session to another write
      if (job.outcome === 'unknown') session.serverSession.isDirty = true
      void session.endSession()
    }
    const write = { job, endSession }
    writes.set(key, write)
    signal.addEventListener('abort', endSession)
    try {
      const result = await send({ session, maxTimeMS: writeMs })
      job.outcome = 'unapplied'
      return result
    } finally {
      signal.removeEventListener('abort', endSession)
      endSession()
    }
  }
}

const sessionKey = (lsid: ServerSessionId | undefined): string => lsid?.id.toString('hex') ?? ''
