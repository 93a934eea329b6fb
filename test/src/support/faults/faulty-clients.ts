import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { importing } from '../service/child-process.js'

const { fetch } = globalThis

/** Asks the object store to respond before a write is durable. */
export const fetchLazily: typeof fetch = (url, { headers, ...init } = {}) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(headers)), Prefer: 'respond-async' } })

/** Repeats a request whose connection was lost. */
export const fetchAgain: typeof fetch = (url, init) => fetch(url, init).catch(() => fetch(url, init))

/** Uses at most 16 connections and never gives one up: it ignores the signal of the request. */
export const fetchInStuckPool = (): typeof fetch => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return (url, { method = 'GET', headers, body } = {}) =>
    new Promise((resolve, reject) => {
      const options = { agent, method, headers: Object.fromEntries(new Headers(headers)) }
      const sent = request(String(url), options, response => {
        const { statusCode = 500, headers } = response
        text(response).then(
          content => resolve(new Response(content, { status: statusCode, headers: { ETag: headers.etag ?? '' } })),
          reject,
        )
      })
      sent.on('error', reject).end(body)
    })
}

/** Takes one of 16 connections for each request, and listens to the errors of a connection only during a request. */
export const fetchOnBareConnections = (): typeof fetch => {
  let idle: Socket[] | undefined
  return async (url, init) => {
    const { port, hostname } = new URL(String(url))
    const open = () => connect(Number(port), hostname)
    idle ??= Array.from({ length: 16 }, open)
    const connection = idle.pop() ?? open()
    const ignore = (): void => {}
    connection.on('error', ignore)
    try {
      return await fetch(url, init)
    } finally {
      connection.off('error', ignore)
      if (!connection.destroyed) idle.push(connection)
    }
  }
}

/** Options of Node.js for a service that responds before LevelDB writes a batch. */
export const writingLate = importing(`
  import { ClassicLevel } from '${import.meta.resolve('classic-level')}'
  const { batch } = ClassicLevel.prototype
  let last = Promise.resolve()
  ClassicLevel.prototype.batch = async function (...args) {
    last = last.then(() => new Promise(resolve => setTimeout(resolve, 50)))
    last = last.then(() => batch.apply(this, args)).catch(() => {})
  }`)
