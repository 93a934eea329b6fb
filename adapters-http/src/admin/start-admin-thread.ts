import { Worker } from 'node:worker_threads'
import type { Log } from '../answer/log.js'
import type { AdminAnswer } from './admin-app.js'
import type { AdminThreadData, AskedPage, FromAdminThread, ToAdminThread } from './admin-thread-messages.js'

export type AdminThread = Readonly<{
  url: string
  ended: Promise<void>
  stop: (graceMs: number) => Promise<void>
}>

/** What answers the thread's questions, and where it logs. */
type Main = Readonly<{ answer: (page: AskedPage) => Promise<AdminAnswer>; log: Log }>

/** It holds no more than a few pages at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

const toleranceMs = 1000

/** Resolves when the thread listens; rejects when it cannot. */
export const startAdminThread = async ({ answer, log }: Main, workerData: AdminThreadData): Promise<AdminThread> => {
  const worker = new Worker(new URL('./admin-thread.js', import.meta.url), { workerData, resourceLimits })
  const tell = (message: ToAdminThread): void => worker.postMessage(message)
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
  worker.on('error', err => log.error({ err }, 'the admin thread failed'))
  const url = await new Promise<string>((resolve, reject) => {
    worker.on('message', async (message: FromAdminThread) => {
      if (message.about === 'listening') resolve(message.url)
      else if (message.about === 'failure') reject(Object.assign(new Error(message.message), { code: message.code }))
      else tell({ about: 'answer', page: message.page, answer: await answer(message.page) })
    })
    ended.then(() => reject(new Error('the admin thread ended before it listened')))
  })
  const stop = async (graceMs: number): Promise<void> => {
    tell({ about: 'stop', graceMs })
    const cut = setTimeout(() => worker.terminate(), graceMs + toleranceMs)
    await ended
    clearTimeout(cut)
  }
  return { url, ended, stop }
}
