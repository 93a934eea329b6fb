import type Router from '@koa/router'
import type { UseCases } from '@snippets/application/use-cases.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { contentCodec } from './body-codecs.js'
import { readId } from './ids.js'
import { readBody } from './json-body.js'
import type { Handler } from './koa/indexed-router.js'
import type { Links } from './links.js'
import { json } from './media-types.js'
import { noParameters, readQuery } from './parameters.js'
import { expectedRevisions, isUnchanged } from './preconditions.js'
import { type Refuse, sendCreated, sendNoContent, sendNotModified, sendProblem, sendRepresentation } from './respond.js'
import { representSnippet } from './snippet-json.js'
import { type StreamOptions, streamSnippets } from './stream-snippets.js'

type Deps = Readonly<{ useCases: UseCases; links: Links; refuse: Refuse; stream: StreamOptions }>

/** The explicit family: one handler after the other, each with every step of its own. */
export const routeExplicitSnippets = (router: Router, { useCases, links, refuse, stream }: Deps): void => {
  const list: Handler = ctx => {
    const query = readQuery(ctx, noParameters)
    if (isLeft(query)) return sendProblem(ctx, query.left)
    return streamSnippets(ctx, useCases.streamSnippets(), stream)
  }

  const create: Handler = async ctx => {
    const content = await readBody(ctx, [json], contentCodec)
    if (isLeft(content)) return sendProblem(ctx, content.left)
    const created = await useCases.createSnippet(content.right)()
    if (isLeft(created)) return refuse(ctx, created.left)
    sendCreated(ctx, links.location(`/api/snippets/${created.right.id}/`), representSnippet(created.right))
  }

  const retrieve: Handler = async ctx => {
    const id = readId(ctx)
    if (isLeft(id)) return refuse(ctx, id.left)
    const found = await useCases.retrieveSnippet(id.right)()
    if (isLeft(found)) return refuse(ctx, found.left)
    const snippet = representSnippet(found.right)
    if (isUnchanged(ctx, snippet.etag)) return sendNotModified(ctx, snippet.etag)
    sendRepresentation(ctx, snippet)
  }

  const replace: Handler = async ctx => {
    const content = await readBody(ctx, [json], contentCodec)
    if (isLeft(content)) return sendProblem(ctx, content.left)
    const id = readId(ctx)
    if (isLeft(id)) return refuse(ctx, id.left)
    const replaced = await useCases.updateSnippet(id.right, content.right, expectedRevisions(ctx))()
    if (isLeft(replaced)) return refuse(ctx, replaced.left)
    sendRepresentation(ctx, representSnippet(replaced.right))
  }

  const destroy: Handler = async ctx => {
    const id = readId(ctx)
    if (isLeft(id)) return refuse(ctx, id.left)
    const deleted = await useCases.deleteSnippet(id.right, expectedRevisions(ctx))()
    if (isLeft(deleted)) return refuse(ctx, deleted.left)
    sendNoContent(ctx)
  }

  router.get('/api/snippets/', list)
  router.post('/api/snippets/', create)
  router.get('/api/snippets/:id/', retrieve)
  router.put('/api/snippets/:id/', replace)
  router.delete('/api/snippets/:id/', destroy)
}
