import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { owned } from '../../../support/owned-child.js'
import type { ClientName, Clients } from '../clients/clients.js'

type Input<Name extends ClientName> = Parameters<Clients[Name]>[0]
type Output<Name extends ClientName> = Awaited<ReturnType<Clients[Name]>>

export type ClientMessage = Readonly<{ begun: true } | { output: unknown } | { fault: string }>

/** `onBegun` is called once the client is under way, if it says so. */
export type RunClient = <Name extends ClientName>(
  name: Name,
  input: Input<Name>,
  onBegun?: () => void,
) => Promise<Output<Name>>

/** Time that a client may take beyond what it was given. */
const overtimeMs = 20_000

const entry = fileURLToPath(new URL('client-process.js', import.meta.url))

/** Runs one client in a child process. Rejects if it fails or does not end in time. */
export const runClient: RunClient = <Name extends ClientName>(name: Name, input: Input<Name>, onBegun = () => {}) =>
  new Promise<Output<Name>>((resolve, reject) => {
    const child = owned(fork(entry, [name], { execArgv: ['--enable-source-maps'] }))
    const late = setTimeout(() => finish(new Error(`the client ${name} did not end in time`)), input.ms + overtimeMs)
    const finish = (error: Error): void => {
      clearTimeout(late)
      child.kill('SIGKILL')
      reject(error)
    }
    child.on('message', (message: ClientMessage) => {
      if ('begun' in message) onBegun()
      else if ('fault' in message) finish(new Error(message.fault))
      else {
        clearTimeout(late)
        // the child runs the client of this name, so this is its output
        resolve(message.output as Output<Name>)
        child.kill()
      }
    })
    child.once('exit', () => finish(new Error(`the client ${name} ended without a result`)))
    child.send(input)
  })
