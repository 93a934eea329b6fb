import { setImmediate as turn } from 'node:timers/promises'
import type { Observation } from '@snippets/adapters-http/middleware/create-app.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header, problemOf, snippetOf } from '../../support/http/representations.js'
import { lastChunk, observer } from '../../support/http/wire.js'
import { bodyOf } from '../../support/samples.js'
import { sharedService } from '../../support/service/mocha-service.js'

export type Bytes = string | Uint8Array

/** A missing Host, Content-Type or Content-Length is added, except to `raw`. */
type Sent = Readonly<{
  version?: '1.0' | '1.1'
  /** Complete header lines. */
  lines?: readonly string[]
  hosts?: readonly string[]
  type?: string
  body?: Bytes
  /** A chunked body instead of `body`, with every chunk in its own packet. */
  chunks?: readonly Bytes[]
  /** The bytes of the whole request, instead of all other properties. */
  raw?: Bytes
}>

type Expected = Readonly<{
  /** A noun phrase for the title of the test. The default is the request. */
  what?: string
  /** The fields or parameters that `errors` must name. */
  names?: readonly string[]
  /** How the connection may end. By default it must serve the next request. */
  connection?: 'closes' | 'may close'
  also?: (response: HttpResponse) => void
}>

/** One odd or hostile request: a method and a target, in which `{id}` stands for the id of an existing snippet. */
export type HostileRequest = Readonly<{ status: number; request: string }> & Sent & Expected

export const row = (status: number, request: string, more: Sent & Expected = {}): HostileRequest => ({
  status,
  request,
  ...more,
})

const titleOf = ({ what, status, request, names, connection, also, ...sent }: HostileRequest): string => {
  const more = Object.entries(sent).map(([name, value]) => `, ${name} ${value}`)
  return `returns ${status} for ${what ?? (request + more.join('')).slice(0, 120)}`
}

/** Sends every row. Checks the response, its observation, the stored snippets, and that the connection still works. */
export const hostileTable = (input: string, rows: readonly HostileRequest[]): void => {
  describe(`The service, given ${input},`, function () {
    this.timeout(30_000)
    const { observe, seen } = observer()
    const service = sharedService({ observe })
    let connection: CheckedConnection
    afterEach(() => connection.destroy())

    for (const row of rows)
      it(titleOf(row), async () => {
        const { client, log } = service
        const { id } = snippetOf(await client.post('/api/snippets/', own))
        connection = await client.connect()
        const before = await newestSeenOn(connection)

        const [method = '', target = ''] = row.request.replaceAll('{id}', id).split(/ (.*)/s)
        const parts = partsOf(row, method, target)
        for (const part of parts.slice(0, -1)) {
          connection.send(part)
          await turn()
        }
        const response = await connection.requestRaw(parts.at(-1) ?? '', { method, target })
        expect(response.status, response.text.slice(0, 300)).to.equal(row.status)
        if (response.status >= 400 && method !== 'HEAD') expectShortProblem(row, response, Buffer.concat(parts))
        row.also?.(response)
        await expectObservation(seen, response)

        await expectEnd(row, response, connection)
        const next = connection.isOpen() ? connection : await client.connect()
        const now = await newestSeenOn(next)
        next.destroy()
        if (response.status >= 300 || ['GET', 'HEAD', 'OPTIONS'].includes(method)) expect(now).to.equal(before)
        expect(log).to.deep.equal([])
      })
  })
}

const own = bodyOf({ title: 'own', code: 'own', language: 'own' })

/** Returns the newest snippets as a text to compare. */
const newestSeenOn = async (connection: CheckedConnection): Promise<string> => {
  const target = '/api/snippets-viewset/?ordering=-created_at&page_size=3'
  const { status, text } = await connection.request({ method: 'GET', target })
  expect(status).to.equal(200)
  return text
}

const partsOf = (row: HostileRequest, method: string, target: string): readonly Buffer[] => {
  const { raw, version = '1.1', hosts = ['localhost'], lines = [], body, chunks } = row
  if (raw !== undefined) return [Buffer.from(raw)]
  const { type = body === undefined && chunks === undefined ? undefined : 'application/json' } = row
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...hosts.map(host => `Host: ${host}`),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(chunks === undefined ? [] : ['Transfer-Encoding: chunked']),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...lines,
  ]
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`)
  if (chunks === undefined) return [Buffer.concat([start, Buffer.from(body ?? '')])]
  return [start, ...chunks.map(chunkOf), Buffer.from(lastChunk)]
}

const chunkOf = (data: Bytes): Buffer =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')])

/** A problem must be short and must not repeat the request. The client has already checked its schema. */
const expectShortProblem = ({ names }: HostileRequest, response: HttpResponse, sent: Buffer): void => {
  const { text } = response
  expect(text.length).to.be.lessThan(4096)
  const request = sent.toString()
  const repeated = Array.from({ length: text.length - 100 }, (_, at) => text.slice(at, at + 101))
  expect(repeated.filter(piece => request.includes(piece))).to.deep.equal([])
  const { errors } = problemOf(response)
  if (names !== undefined) expect(errors?.map(({ field, parameter }) => field ?? parameter)).to.deep.equal(names)
}

/** A response has one observation, with its X-Request-Id. */
const expectObservation = async (all: readonly Observation[], response: HttpResponse): Promise<void> => {
  const { status, text, body } = response
  const requestId = header(response, 'X-Request-Id')
  const seen = () => all.filter(observation => observation.requestId === requestId)
  await eventually(() => seen().length > 0)
  expect(seen().map(observation => [observation.status, observation.clientLeft])).to.deep.equal([[status, false]])
  expect(seen()[0]?.bytes).to.be.greaterThan(body.length)
  // labels of metrics
  expect(`${seen()[0]?.method} ${seen()[0]?.route}`).to.match(/^none rejected$|^[A-Z]+ (?:none|\/api\/[a-z:/-]*)$/)
  if (text.startsWith('{"type"')) expect(seen()[0]?.problem).to.equal(problemOf(response).type)
}

/** Expects that the connection stays open, or ends as the row allows. */
const expectEnd = async (
  { connection: fate }: HostileRequest,
  response: HttpResponse,
  connection: CheckedConnection,
) => {
  if (fate === undefined || fate === 'closes') expect(closes(response), 'closes').to.equal(fate === 'closes')
  if (closes(response)) expect(await connection.ended()).to.equal('closed')
}
