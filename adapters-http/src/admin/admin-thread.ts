import { setImmediate as turnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { problem } from '../answer/problems.js'
import { defaultLimits } from '../server/limits.js'
import { listen } from '../server/listen.js'
import { type AdminAnswer, createAdminApp, refusal, text } from './admin-app.js'
import type { AdminThreadData, AskedPage, FromAdminThread, ToAdminThread } from './admin-thread-messages.js'
import { millisecondsSilent } from './heartbeat.js'

/** The admin listener in a thread of its own, so that it answers while the event loop of the main thread is busy. */
const serve = async (main: MessagePort, { address, heartbeat, patience }: AdminThreadData): Promise<void> => {
  const tell = (message: FromAdminThread): void => main.postMessage(message)
  const { ask, answered } = questions(page => tell({ about: 'question', page }), patience.answerMs)
  const isAlive = (): boolean => millisecondsSilent(heartbeat) < patience.silenceMs
  const pages = new Map([
    ['/livez', async () => (isAlive() ? live : notLive)],
    ['/readyz', () => ask('readyz')],
    ['/metrics', () => ask('metrics')],
  ])
  const { url, stop } = await listen(createAdminApp(pages), address, limits)
  main.on('message', async (message: ToAdminThread) => {
    if (message.about === 'answer') return answered(message.page, message.answer)
    await stop(message.graceMs)
    main.close()
  })
  tell({ about: 'listening', url })
}

/** As many as there are connections: `/livez` waits for nobody else's answer. */
const limits = { requests: defaultLimits.connections }

const live = text('application/json', '{"status":"live"}')
const notLive = refusal(problem('not-live'))
const busy = refusal(problem('not-ready', { detail: 'The service is too busy to say.' }))

/** `/livez` is not to wait until thousands of clients have their metrics. */
const answersInTurn = 50

/** Asks the main thread one question per page at a time, however many clients want to know. */
export const questions = (ask: (page: AskedPage) => void, patienceMs: number) => {
  const waiting = new Map<AskedPage, Array<(answer: AdminAnswer) => void>>()
  const answerOfMain = (page: AskedPage): Promise<AdminAnswer> =>
    new Promise(resolve => {
      const clients = waiting.get(page)
      if (clients !== undefined) return void clients.push(resolve)
      waiting.set(page, [resolve])
      ask(page)
    })
  return {
    ask: (page: AskedPage): Promise<AdminAnswer> =>
      Promise.race([answerOfMain(page), wait(patienceMs, busy, { ref: false })]),
    answered: async (page: AskedPage, answer: AdminAnswer): Promise<void> => {
      const clients = waiting.get(page) ?? []
      waiting.delete(page)
      for (const [i, resolve] of clients.entries()) {
        if (i % answersInTurn === answersInTurn - 1) await turnOfTheLoop()
        resolve(answer)
      }
    },
  }
}

if (parentPort !== null) {
  const main = parentPort
  await serve(main, workerData).catch(({ message, code }) =>
    main.postMessage({ about: 'failure', message, code } satisfies FromAdminThread),
  )
}
