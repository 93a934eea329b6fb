import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { type CheckedConnection, type Client, closes } from '../../support/http/http-client.js'
import type { Answer } from '../../support/http/raw-http.js'
import { header, listed, problemOf, snippetOf, snippetsOf } from '../../support/http/representations.js'
import { threeUsers } from '../../support/service/in-process.js'
import { sharedService } from '../../support/service/mocha-service.js'

type Bytes = string | Uint8Array

/**
 * One odd or hostile request. `{id}` in a target stands for the id of an existing snippet. Everything is sent as it is.
 * Host, Content-Type and Content-Length are added where the row has none of its own.
 */
export type Row = Readonly<{
  /** A noun phrase for the title of the test. */
  what: string
  method?: string
  target?: string
  version?: '1.0' | '1.1'
  /** Complete header lines. */
  lines?: readonly string[]
  hosts?: readonly string[]
  type?: string | null
  body?: Bytes
  /** A chunked body instead, with every chunk in its own packet. */
  chunks?: readonly Bytes[]
  /** The bytes of the whole request instead. */
  raw?: Bytes | ((own: Readonly<{ id: string; host: string }>) => Bytes)
  status: number
  allow?: string
  /** The fields or parameters that `errors` must name. */
  names?: readonly string[]
  /** What may happen to the connection. By default it must serve the next request. */
  connection?: 'closes' | 'may close' | 'may be reset'
  also?: (answer: Answer) => void
}>

/** Sends every row, and checks its answer, that nothing else changed, and that the connection still works. */
export const hostileTable = (input: string, rows: readonly Row[]): void => {
  describe(`The service, given ${input},`, function () {
    this.timeout(30_000)
    const service = sharedService({ users: threeUsers })
    afterEach(async () => {
      const { client } = service
      for (const { id } of snippetsOf(await client.get('/api/snippets/'))) await client.delete(`/api/snippets/${id}/`)
    })

    for (const row of rows)
      it(`answers ${row.status} to ${row.what}`, async () => {
        const { client, url, log } = service
        const logged = log.length
        const own = await client.post('/api/snippets/', { title: 'own', code: 'own code', language: 'own language' })
        const { id } = snippetOf(own)
        const connection = await client.connect()
        const before = await collectionSeenOn(connection, id)

        const parts = partsOf(row, { id, host: new URL(url).host })
        const answer = await exchange(connection, row, parts, id)
        expect(answer.status, answer.text.slice(0, 300)).to.equal(row.status)
        if (answer.status >= 400 && row.method !== 'HEAD') expectModestProblem(row, answer, Buffer.concat(parts))
        row.also?.(answer)

        const next = await connectionAfter(row, answer, connection, client)
        const mayChange = answer.status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(row.method ?? 'GET')
        const afterwards = await collectionSeenOn(next, id)
        if (!mayChange) expect(afterwards).to.equal(before)
        expect(afterwards).to.match(/^(200|404) /)
        expect(log.slice(logged).filter(({ level }) => level === 'error')).to.deep.equal([])
        next.destroy()
        connection.destroy()
      })
  })
}

/** One snippet and the whole collection, in a form to compare. */
const collectionSeenOn = async (connection: CheckedConnection, id: string): Promise<string> => {
  const one = await connection.ask({ method: 'GET', target: `/api/snippets/${id}/` })
  const all = await connection.ask({ method: 'GET', target: '/api/snippets-viewset/?page_size=100' })
  return `${one.status} ${one.headers.etag} ${one.text} ${all.status} ${all.text}`
}

const exchange = async (
  connection: CheckedConnection,
  row: Row,
  parts: readonly Buffer[],
  id: string,
): Promise<Answer> => {
  for (const part of parts.slice(0, -1)) {
    connection.send(part)
    await turn()
  }
  const meant = { method: row.method ?? 'GET', target: withId(row.target ?? '', id) }
  return connection.askRaw(parts.at(-1) ?? '', meant)
}

/** `{wrapped}` is the id plus 2^64, which is the same id to a reader that drops the bits above 64. */
const withId = (target: string, id: string): string =>
  target.replaceAll('{id}', id).replaceAll('{wrapped}', String(BigInt(id) + 2n ** 64n))

const partsOf = (row: Row, own: Readonly<{ id: string; host: string }>): readonly Buffer[] => {
  const { raw, method = 'GET', target = '/', version = '1.1', lines = [], body, chunks } = row
  if (raw !== undefined) return [Buffer.from(typeof raw === 'function' ? raw(own) : raw)]
  const says = (name: string) => lines.some(line => line.toLowerCase().startsWith(`${name}:`))
  const hasBody = body !== undefined || chunks !== undefined
  const { type = hasBody && !says('content-type') ? 'application/json' : null } = row
  const head = [
    `${method} ${withId(target, own.id)} HTTP/${version}`,
    ...(row.hosts ?? [own.host]).map(host => `Host: ${host}`),
    ...(type === null ? [] : [`Content-Type: ${type}`]),
    ...(chunks === undefined ? [] : ['Transfer-Encoding: chunked']),
    ...(body === undefined || says('content-length') ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...lines,
  ]
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`)
  if (chunks === undefined) return [Buffer.concat([start, Buffer.from(body ?? '')])]
  return [start, ...chunks.map(framed), Buffer.from('0\r\n\r\n')]
}

const framed = (chunk: Bytes): Buffer =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(chunk).toString(16)}\r\n`), Buffer.from(chunk), Buffer.from('\r\n')])

/** A problem must be short and must not repeat the request. The client has already checked its schema. */
const expectModestProblem = (row: Row, answer: Answer, sent: Buffer): void => {
  const problem = problemOf(answer)
  expect(Object.keys(problem).slice(0, 4)).to.deep.equal(['type', 'title', 'status', 'detail'])
  expect(answer.text.length).to.be.lessThan(4096)
  expect(echo(answer.text, sent.toString())).to.equal(undefined)
  if (row.names !== undefined)
    expect(problem.errors?.map(({ field, parameter }) => field ?? parameter)).to.deep.equal(row.names)
  if (answer.status === 405) expect(listed(header(answer, 'Allow'))).to.deep.equal(listed(row.allow ?? ''))
}

/** A run of 101 characters that the text repeats from the request. */
const echo = (text: string, sent: string): string | undefined => {
  for (let at = 0; at + 101 <= text.length; at++) {
    const piece = text.slice(at, at + 101)
    if (sent.includes(piece)) return piece
  }
  return undefined
}

/** The same connection if it stays open, else a new one, once the old one has ended as the row allows. */
const connectionAfter = async (
  { connection: fate }: Row,
  answer: Answer,
  connection: CheckedConnection,
  client: Client,
): Promise<CheckedConnection> => {
  if (fate === undefined) expect(closes(answer), 'Connection: close').to.equal(false)
  if (fate === 'closes') expect(closes(answer), 'Connection: close').to.equal(true)
  if (!closes(answer)) return connection
  const end = await connection.ended()
  if (fate !== 'may be reset') expect(end).to.equal('closed')
  return client.connect()
}

/** The same rows for both families. */
export const inBothFamilies = (rows: (path: string) => readonly Row[]): readonly Row[] =>
  ['/api/snippets/', '/api/snippets-viewset/'].flatMap(path => rows(path))

export const validBody = JSON.stringify({ title: 't', code: 'c', language: 'l' })
