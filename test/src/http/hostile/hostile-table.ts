import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { type CheckedConnection, type Client, closes, httpClient } from '../../support/http/http-client.js'
import type { Answer } from '../../support/http/raw-http.js'
import { header, listed, problemOf, snippetOf, snippetsOf } from '../../support/http/representations.js'
import { type Service, startService, threeUsers } from '../../support/service/in-process.js'

type Bytes = string | Uint8Array

/**
 * One odd or hostile request. `{id}` in a target is a snippet that exists. The bytes are sent as they are; a Host, a
 * Content-Type for JSON and a Content-Length are added where the row does not say its own.
 */
export type Row = Readonly<{
  what: string
  method?: string
  target?: string
  version?: '1.0' | '1.1'
  /** Whole header lines. */
  lines?: readonly string[]
  hosts?: readonly string[]
  type?: string | null
  body?: Bytes
  /** The body again, but chunked, each chunk in a packet of its own. */
  chunks?: readonly Bytes[]
  /** All of the request instead, line by line or whole. */
  raw?: Bytes | ((own: Readonly<{ id: string; host: string }>) => Bytes)
  status: number | readonly number[]
  allow?: string
  /** The fields or parameters that the problem names. */
  names?: readonly string[]
  /** What becomes of the connection; without it, it must serve the next request. */
  connection?: 'closes' | 'may close' | 'may be reset'
  also?: (answer: Answer) => void
}>

export const hostileTable = (title: string, rows: readonly Row[]): void => {
  describe(title, function () {
    this.timeout(30_000)
    let service: Service
    let client: Client
    before(async () => {
      service = await startService({ users: threeUsers })
      client = httpClient(service.url)
    })
    after(async () => {
      client.close()
      await service.stop()
    })
    afterEach(async () => {
      for (const { id } of snippetsOf(await client.get('/api/snippets/'))) await client.delete(`/api/snippets/${id}/`)
    })

    for (const row of rows)
      it(`${row.what}: ${row.status}`, async () => {
        const logged = service.log.length
        const own = await client.post('/api/snippets/', { title: 'own', code: 'own code', language: 'own language' })
        const { id } = snippetOf(own)
        const look = async (connection: CheckedConnection): Promise<string> => {
          const one = await connection.ask({ method: 'GET', target: `/api/snippets/${id}/` })
          const all = await connection.ask({ method: 'GET', target: '/api/snippets-viewset/?page_size=100' })
          return `${one.status} ${one.headers.etag} ${one.text} ${all.status} ${all.text}`
        }
        const connection = await client.connect()
        const before = await look(connection)

        const parts = partsOf(row, { id, host: new URL(service.url).host })
        const answer = await exchange(connection, row, parts, id)
        expect(answer.status, answer.text.slice(0, 300)).to.be.oneOf([row.status].flat())
        if (answer.status >= 400 && row.method !== 'HEAD') expectModestProblem(row, answer, Buffer.concat(parts))
        row.also?.(answer)

        const next = await connectionAfter(row, answer, connection, client)
        const changed = answer.status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(row.method ?? 'GET')
        const afterwards = await look(next)
        if (!changed) expect(afterwards).to.equal(before)
        expect(afterwards).to.match(/^(200|404) /)
        expect(service.log.slice(logged).filter(({ level }) => level === 'error')).to.deep.equal([])
        next.destroy()
        connection.destroy()
      })
  })
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

/** `{wrapped}` is the same id for a reader that cuts off what is above 64 bits. */
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
  const framed = chunks.map(chunk =>
    Buffer.concat([
      Buffer.from(`${Buffer.byteLength(chunk).toString(16)}\r\n`),
      Buffer.from(chunk),
      Buffer.from('\r\n'),
    ]),
  )
  return [start, ...framed, Buffer.from('0\r\n\r\n')]
}

/** A problem says what is wrong in few words, and not by repeating what came. Its form is checked on every answer. */
const expectModestProblem = (row: Row, answer: Answer, sent: Buffer): void => {
  const problem = problemOf(answer)
  expect(Object.keys(problem).slice(0, 4)).to.deep.equal(['type', 'title', 'status', 'detail'])
  expect(answer.text.length).to.be.lessThan(4096)
  expect(echo(answer.text, sent.toString())).to.equal(undefined)
  if (row.names !== undefined)
    expect(problem.errors?.map(({ field, parameter }) => field ?? parameter)).to.deep.equal(row.names)
  if (answer.status === 405) expect(listed(header(answer, 'Allow'))).to.deep.equal(listed(row.allow ?? ''))
}

/** A hundred and one characters in a row that came from the request. */
const echo = (text: string, sent: string): string | undefined => {
  for (let at = 0; at + 101 <= text.length; at++) {
    const piece = text.slice(at, at + 101)
    if (sent.includes(piece)) return piece
  }
  return undefined
}

/** The same connection when it must or does stay open, else a new one, after the old one ended as it should. */
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
