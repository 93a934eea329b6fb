import { clients } from '../clients/clients.js'
import type { ClientMessage } from './run-client.js'

/** A child process: runs the client that its argument names, with the input that its parent sends. */
const [, , name = ''] = process.argv

const tell = (message: ClientMessage): void => {
  if (process.connected) process.send?.(message)
}

process.once('message', async input => {
  const client = Object.entries(clients).find(([known]) => known === name)?.[1]
  try {
    if (client === undefined) throw new Error(`there is no client ${name}`)
    // run-client.ts lets a client be called only with its own input
    tell({ output: await client(input as never, () => tell({ begun: true })) })
  } catch (error) {
    tell({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
process.on('disconnect', () => process.exit())
