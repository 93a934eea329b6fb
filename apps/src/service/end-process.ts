import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { reportFailure } from '../exit.js'
import type { Logger } from '../logging/logger.js'
import type { Service, StartFailure } from './service.js'

export const stopSignals = ['SIGTERM', 'SIGINT']

export type EndProcess = (exitCode: number, message?: string) => Promise<void>

/** Returns a function that flushes the log, closes the storage, and ends the process, even if one of them hangs. */
export const createEndProcess =
  (starting: Promise<E.Either<StartFailure, Service>>, log: Logger): EndProcess =>
  async (exitCode, message) => {
    const started = await Promise.race([starting, nextTurn(unfinishedStart)])
    const closing = E.isLeft(started) ? started.left.mayExit : started.right.closeStorage()
    const [isFlushed, mayExit] = await Promise.all([log.flush(), closing])
    if (message !== undefined) reportFailure(exitCode, message)
    // `process.exit` would wait for a disk, a reader of the log or a name server that hangs
    if (!isFlushed || !mayExit || (exitCode === 1 && isResolvingName())) return killProcess()
    // An unfinished or failed start may hang in `process.exit`, so a further signal must end it. After a stop the
    // listeners stay, because the second signal of one Ctrl-C would change the exit code.
    if (E.isLeft(started)) for (const signal of stopSignals) process.removeAllListeners(signal)
    process.exit(exitCode)
  }

/**
 * Stands for a start that has not ended. `process.exit` would wait for a directory that is opening, and a signal cannot
 * end that wait in the first process of a container.
 */
const unfinishedStart = E.left({ mayExit: process.pid !== 1 })

const isResolvingName = (): boolean => process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')

const killProcess = (): void => {
  // the kernel lets the first process of a container send itself no SIGKILL
  if (process.pid === 1) process.abort()
  process.kill(process.pid, 'SIGKILL')
}
