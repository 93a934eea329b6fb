import { EventEmitter, once } from 'node:events'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'

/** Creates a point where the code under test waits until the test opens it. */
export const closedGate = () => {
  const events = new EventEmitter()
  return {
    /** Called by the code under test. Resolves when the gate opens next. */
    pass: async (): Promise<void> => {
      const opened = once(events, 'open')
      events.emit('arrival')
      await opened
    },
    /** Resolves when the code under test arrives next. */
    arrival: async () => void (await once(events, 'arrival')),
    open: () => void events.emit('open'),
  }
}

/** Creates a store whose pages wait at the gate. */
export const gatedPages =
  ({ pass }: ReturnType<typeof closedGate>) =>
  (store: SnippetStore): SnippetStore => ({
    ...store,
    page: query => async () => {
      await pass()
      return store.page(query)()
    },
  })
