import { createApp } from '@snippets/adapters-http/app.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { useCases } from '@snippets/application/use-cases.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { fromNullable } from 'fp-ts/lib/Option.js'
import { anId } from './snippets.js'

export type LogEntry = Readonly<{ level: 'warn' | 'error'; fields: object; message: string }>

export type Service = Readonly<{ url: string; log: readonly LogEntry[]; stop: (graceMs?: number) => Promise<void> }>

export type ServiceOptions = Readonly<{
  firstId?: bigint
  users?: readonly User[]
  publicUrl?: string
  clock?: Clock
  stallMs?: number
  /** Puts a store of the test's own in the place of the one in memory. */
  store?: (memory: SnippetStore) => SnippetStore
  userStore?: (memory: UserStore) => UserStore
}>

export const threeUsers: readonly User[] = ['ada', 'grace', 'edsger'].map((username, index) => ({
  id: anId(BigInt(index + 1)),
  username,
}))

/** The whole service in this process, on memory, on a port that is free. */
export const startService = async (options: ServiceOptions = {}): Promise<Service> => {
  const { firstId, users = [], publicUrl, clock = { now: Date.now }, stallMs, store, userStore } = options
  const log: LogEntry[] = []
  const write = (level: LogEntry['level']) => (fields: object, message: string) =>
    void log.push({ level, fields, message })
  const memory = memoryStorage({ users, ...(firstId !== undefined && { firstId }) })
  const app = createApp({
    useCases: useCases({
      snippets: store?.(memory.snippets) ?? memory.snippets,
      users: userStore?.(memory.users) ?? memory.users,
      clock,
    }),
    log: { warn: write('warn'), error: write('error') },
    publicUrl: fromNullable(publicUrl),
    ...(stallMs !== undefined && { stallMs }),
  })
  const { url, stop } = await listen(
    app.requestListener(),
    { host: '127.0.0.1', port: 0 },
    { ...(stallMs !== undefined && { stallMs }) },
  )
  return { url, log, stop: (graceMs = 0) => stop(graceMs) }
}
