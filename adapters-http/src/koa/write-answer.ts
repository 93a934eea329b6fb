import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Answer, StreamedBody } from '../answer/answer.js'
import { pieceLength } from '../answer/array-in-pieces.js'
import { PoliteResponse } from '../server/polite-response.js'
import { requestId } from './request-id.js'

/** Every answer of a route leaves through here: straight to Node on the short cut, else as Koa's middleware expects it. */
export const writeAnswer = (ctx: Context, answer: Answer): void | Promise<void> =>
  ctx.respond === false ? writeDirectly(ctx, answer) : writeByKoa(ctx, answer)

/**
 * `ctx.body` would have Koa guess a type, set headers one at a time and measure the text again. The whole head is written
 * at once.
 */
export const writeDirectly = (ctx: Context, { status, headers, body }: Answer): void | Promise<void> => {
  const { req, res } = ctx
  // the server has answered: the rest of the request was malformed
  if (res.headersSent) return closeUnread(body)
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body?.bytes
  if (bytes !== undefined) headers['Content-Length'] = bytes
  addCommonHeaders(ctx, headers)
  if (typeof body !== 'object') return writeWhole(ctx, { status, headers, body })
  res.writeHead(status, headers)
  if (req.method !== 'HEAD') return writePieces(res, body)
  res.end()
  return closeUnread(body)
}

const writeWhole = ({ req, res, respond }: Context, { status, headers, body = '' }: WholeAnswer): void => {
  const text = req.method === 'HEAD' ? '' : body
  const encoding = headers['Content-Length'] === text.length ? 'latin1' : encodingOf(text)
  // other middleware may listen to what Node does, or throw an error with headers of its own
  const isOurs = respond === false && res instanceof PoliteResponse
  if (isOurs && res.sendWhole(status, headers, text, encoding)) return
  res.writeHead(status, headers).end(text, encoding)
}

type WholeAnswer = Omit<Answer, 'body'> & Readonly<{ body: string | undefined }>

/**
 * A text in ASCII is the same bytes in Latin-1, which are copied as they are, and its head with it. In UTF-8 they are made one
 * by one, which costs a sixth of a detail; and Node allocates three times the length.
 */
const encodingOf = (text: string): 'latin1' | 'utf8' => (Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')

const closeUnread = async (body: Answer['body']): Promise<void> => {
  if (typeof body === 'object') await body.close()
}

const addCommonHeaders = (ctx: Context, headers: OutgoingHttpHeaders): void => {
  headers['Cache-Control'] = 'no-cache'
  headers['X-Content-Type-Options'] = 'nosniff'
  headers['X-Request-Id'] = requestId(ctx)
}

const writePieces = async (res: ServerResponse, { pieces, close, kept }: StreamedBody): Promise<void> => {
  countKept(res, kept)
  try {
    const writer = new PieceWriter(res, pieces()[Symbol.asyncIterator]())
    while (await writer.writeNext()) if (writer.mustWait) await drained(res)
  } finally {
    await close()
  }
}

/** Keeps no piece that the response has taken: a client may be long in reading it. */
class PieceWriter {
  readonly #res: ServerResponse
  readonly #pieces: AsyncIterator<string>
  /** A short piece, held back so that the last one goes with the end. */
  #held = ''
  /** Not `writableNeedDrain`, which Node no longer resets once it has detached the socket for a request to upgrade. */
  mustWait = false

  constructor(res: ServerResponse, pieces: AsyncIterator<string>) {
    this.#res = res
    this.#pieces = pieces
  }

  /** False after the last. */
  async writeNext(): Promise<boolean> {
    const { done, value } = await this.#pieces.next()
    // the client has left, or the server has answered: the rest of the request was malformed
    if (this.#res.destroyed || this.#res.writableEnded) return false
    this.mustWait = false
    if (done) this.#res.end(this.#held)
    else if (value.length < pieceLength && this.#held === '') this.#held = value
    else {
      this.mustWait = !writeText(this.#res, this.#held + value)
      this.#held = ''
    }
    return !done
  }
}

/** Where it is not ASCII, a Buffer, which has its length and no more, but is only freed when garbage is collected. */
const writeText = (res: ServerResponse, text: string): boolean =>
  encodingOf(text) === 'latin1' ? res.write(text, 'latin1') : res.write(Buffer.from(text))

const countKept = (res: ServerResponse, kept = 0): void => {
  if (kept > 0 && res instanceof PoliteResponse) res.unsent?.keep(res, kept)
}

/** Until the client has read on or has left. The server closes connections that stall. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    const settle = (): void => {
      res.off('drain', settle).off('close', settle)
      resolve()
    }
    if (res.destroyed) settle()
    else res.once('drain', settle).once('close', settle)
  })

const writeByKoa = (ctx: Context, { status, headers, body }: Answer): void => {
  setCommonHeaders(ctx)
  ctx.status = status
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) ctx.set(name, String(value))
  if (typeof body === 'object') setStream(ctx, body)
  else if (body !== undefined) ctx.body = body
}

const setStream = (ctx: Context, { pieces, close, bytes, kept }: StreamedBody): void => {
  countKept(ctx.res, kept)
  ctx.body = Readable.from(pieces()).once('close', close)
  // a Content-Length that was set before the body is gone
  if (bytes !== undefined) ctx.length = bytes
}

/** For the answers of other middleware too. */
export const setCommonHeaders = (ctx: Context): void => {
  ctx.set('Cache-Control', 'no-cache')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('X-Request-Id', requestId(ctx))
}
