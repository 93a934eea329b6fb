import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../answer/log.js'
import type { Listening } from '../server/listen.js'
import { type AdminDeps, adminPages } from './admin-pages.js'
import type { AdminThreadData, Patience } from './admin-thread-messages.js'
import { newHeartbeat, startBeating } from './heartbeat.js'
import { type AdminThread, startAdminThread } from './start-admin-thread.js'

const defaultPatience: Patience = {
  // garbage collection of a large heap takes seconds, and a restart because of it would lose what is in memory
  silenceMs: 10_000,
  // longer than a storage takes to say that it does not answer
  answerMs: 3000,
}

const restartMs = 1000

type Address = AdminThreadData['address']

/**
 * Serves `/livez`, `/readyz` and `/metrics` from a thread of its own. A probe that times out has a service restarted that
 * is only busy, so `/livez` must not wait for the main thread.
 */
export const listenForAdmin = async (
  { log, ...deps }: AdminDeps & Readonly<{ log: Log }>,
  { host, port }: Address,
  patience: Patience = defaultPatience,
): Promise<Omit<Listening, 'load'>> => {
  const heartbeat = newHeartbeat()
  const stopBeating = startBeating(heartbeat)
  const main = { answer: adminPages(deps), log }
  const start = (port: number) => startAdminThread(main, { address: { host, port }, heartbeat, patience })
  try {
    const thread = await start(port)
    const stop = keepRunning(thread, () => start(Number(new URL(thread.url).port)), log)
    return { url: thread.url, stop: graceMs => stop(graceMs).finally(stopBeating) }
  } catch (error) {
    stopBeating()
    throw error
  }
}

/** Starts the thread again when it ends, as probes that find nobody would have the service restarted. Returns how to stop. */
const keepRunning = (first: AdminThread, start: () => Promise<AdminThread>, log: Log): Listening['stop'] => {
  let thread = first
  let isStopping = false
  const restart = async (): Promise<void> => {
    log.error({}, 'the admin thread has ended, and is started again')
    await wait(restartMs, undefined, { ref: false })
    if (isStopping) return
    thread = await start()
    // the one before was told to stop
    if (isStopping) await thread.stop(0)
  }
  const watch = async (): Promise<void> => {
    await thread.ended
    while (!isStopping) {
      await restart().catch(err => log.error({ err }, 'the admin thread cannot be started again'))
      await thread.ended
    }
  }
  void watch()
  return graceMs => {
    isStopping = true
    return thread.stop(graceMs)
  }
}
