import { EventEmitter, once } from 'node:events'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'

/** A point where the code under test waits until the test opens it. */
export type Gate = Readonly<{
  /** Called by the code under test. Resolves when the gate opens next. */
  pass: () => Promise<void>
  /** Resolves when the code under test arrives next. */
  arrival: () => Promise<void>
  open: () => void
}>

export const closedGate = (): Gate => {
  const events = new EventEmitter()
  return {
    pass: async () => {
      const opened = once(events, 'open')
      events.emit('arrival')
      await opened
    },
    arrival: async () => void (await once(events, 'arrival')),
    open: () => void events.emit('open'),
  }
}

/** Creates a store whose pages wait at the gate. */
export const gatedPages =
  ({ pass }: Gate) =>
  (store: SnippetStore): SnippetStore => ({
    ...store,
    page: query => async () => {
      await pass()
      return store.page(query)()
    },
  })
