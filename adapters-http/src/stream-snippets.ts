import type { ServerResponse } from 'node:http'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { RouterContext } from '@koa/router'
import type { ListError } from '@snippets/domain/errors.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { withCommonHeaders } from './koa/answer.js'
import type { Log } from './log.js'
import { json } from './media-types.js'
import { about, type Refuse } from './respond.js'
import { snippetJson } from './snippet-json.js'

const pieceLength = 64 * 1024

export type StreamOptions = Readonly<{
  refuse: Refuse
  log: Log
  stallMs: number
}>

/**
 * Sends `{"snippets":[…]}` in constant memory: never more than a piece ahead of the client, and with a turn of the event
 * loop after each piece, so that a long list does not hold up everyone else. The head waits for the first batch; a failure
 * after that cuts the connection, so that a truncated list never looks whole.
 */
export const streamSnippets = async (
  ctx: RouterContext,
  batches: AsyncIterable<Either<ListError, readonly Snippet[]>>,
  { refuse, log, stallMs }: StreamOptions,
): Promise<void> => {
  const { res } = ctx
  let piece = '{"snippets":['
  let separator = ''
  for await (const batch of batches) {
    // the server has refused the request meanwhile, because its body was broken
    if (res.writableEnded) return
    if (isLeft(batch)) {
      if (!res.headersSent) return refuse(ctx, batch.left)
      log.error(about(ctx, batch.left.cause), 'a list broke off midway')
      res.destroy()
      return
    }
    if (!res.headersSent) writeHead(ctx)
    if (ctx.req.method === 'HEAD') break
    for (const snippet of batch.right) {
      piece += separator + snippetJson(snippet)
      separator = ','
      if (piece.length < pieceLength) continue
      if (!(await isTaken(res, piece, stallMs))) return
      piece = ''
    }
  }
  if (res.writableEnded) return
  if (!res.headersSent) writeHead(ctx)
  res.end(`${piece}]}`)
}

const writeHead = (ctx: RouterContext): void => {
  ctx.res.writeHead(200, withCommonHeaders(ctx, { 'Content-Type': json }))
}

/** Sends the piece and lets the others have a turn; false when the client is gone. */
const isTaken = async (res: ServerResponse, piece: string, stallMs: number): Promise<boolean> => {
  if (!res.write(piece)) await drained(res, stallMs)
  await turnOfTheLoop()
  return !res.destroyed
}

/** Until the client has read on, or went away, or has read nothing for so long that it is cut off. */
const drained = (res: ServerResponse, stallMs: number): Promise<void> =>
  new Promise(resolve => {
    const stalled = setTimeout(() => res.destroy(), stallMs)
    const settle = (): void => {
      clearTimeout(stalled)
      res.off('drain', settle).off('close', settle)
      resolve()
    }
    if (res.destroyed) settle()
    else res.once('drain', settle).once('close', settle)
  })
