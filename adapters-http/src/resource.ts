import type Router from '@koa/router'
import type { CreateError, ListError, ReadError, WriteError } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Page, Window } from '@snippets/domain/page.js'
import type { Expected } from '@snippets/domain/ports.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type * as t from 'io-ts'
import { readId } from './ids.js'
import { readBody } from './json-body.js'
import type { Handler } from './koa/indexed-router.js'
import type { Links } from './links.js'
import { json, mergePatch } from './media-types.js'
import { type Parameters, rawQuery, readQuery, withParameter } from './parameters.js'
import { expectedRevisions, isUnchanged } from './preconditions.js'
import {
  type Refuse,
  type Representation,
  sendCreated,
  sendJson,
  sendNoContent,
  sendNotModified,
  sendProblem,
  sendRepresentation,
} from './respond.js'

export type ReadOnlyResource<A, Q extends { window: Window }> = Readonly<{
  path: string
  represent: (item: A) => Representation
  parameters: Parameters<Q>
  list: (query: Q) => TaskEither<ListError, Page<A>>
  retrieve: (id: Id) => TaskEither<ReadError, A>
}>

export type WritableResource<
  A extends { id: Id },
  Q extends { window: Window },
  Whole extends Part,
  Part,
> = ReadOnlyResource<A, Q> &
  Readonly<{
    whole: t.Decoder<unknown, Whole>
    part: t.Decoder<unknown, Part>
    create: (whole: Whole) => TaskEither<CreateError, A>
    update: (id: Id, part: Part, expected: Expected) => TaskEither<WriteError, A>
    destroy: (id: Id, expected: Expected) => TaskEither<WriteError, void>
  }>

type Deps = Readonly<{ links: Links; refuse: Refuse }>

/** The generator of the conventional resource surface: what is described once becomes a family of routes. */
export const routeReadOnlyResource = <A, Q extends { window: Window }>(
  router: Router,
  { path, represent, parameters, list, retrieve }: ReadOnlyResource<A, Q>,
  { links, refuse }: Deps,
): void => {
  const showPage: Handler = async ctx => {
    const query = readQuery(ctx, parameters)
    if (isLeft(query)) return sendProblem(ctx, query.left)
    const page = await list(query.right)()
    if (isLeft(page)) return refuse(ctx, page.left)
    const { count, items } = page.right
    const { previous, next } = neighbours(query.right.window, count)
    const link = (to: number | undefined): string =>
      to === undefined
        ? 'null'
        : JSON.stringify(links.absolute(ctx, `${path}?${withParameter(rawQuery(ctx), 'page', to)}`))
    const results = items.map(item => represent(item).json).join(',')
    sendJson(ctx, `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results}]}`)
  }

  const showOne: Handler = async ctx => {
    const id = readId(ctx)
    if (isLeft(id)) return refuse(ctx, id.left)
    const found = await retrieve(id.right)()
    if (isLeft(found)) return refuse(ctx, found.left)
    const item = represent(found.right)
    if (item.etag !== undefined && isUnchanged(ctx, item.etag)) return sendNotModified(ctx, item.etag)
    sendRepresentation(ctx, item)
  }

  router.get(path, showPage)
  router.get(`${path}:id/`, showOne)
}

export const routeResource = <A extends { id: Id }, Q extends { window: Window }, Whole extends Part, Part>(
  router: Router,
  resource: WritableResource<A, Q, Whole, Part>,
  deps: Deps,
): void => {
  const { path, represent, whole, part, create, update, destroy } = resource
  const { links, refuse } = deps

  const createOne: Handler = async ctx => {
    const body = await readBody(ctx, [json], whole)
    if (isLeft(body)) return sendProblem(ctx, body.left)
    const created = await create(body.right)()
    if (isLeft(created)) return refuse(ctx, created.left)
    sendCreated(ctx, links.location(`${path}${created.right.id}/`), represent(created.right))
  }

  const updateOne =
    (types: readonly string[], decoder: t.Decoder<unknown, Part>): Handler =>
    async ctx => {
      const body = await readBody(ctx, types, decoder)
      if (isLeft(body)) return sendProblem(ctx, body.left)
      const id = readId(ctx)
      if (isLeft(id)) return refuse(ctx, id.left)
      const updated = await update(id.right, body.right, expectedRevisions(ctx))()
      if (isLeft(updated)) return refuse(ctx, updated.left)
      sendRepresentation(ctx, represent(updated.right))
    }

  const destroyOne: Handler = async ctx => {
    const id = readId(ctx)
    if (isLeft(id)) return refuse(ctx, id.left)
    const destroyed = await destroy(id.right, expectedRevisions(ctx))()
    if (isLeft(destroyed)) return refuse(ctx, destroyed.left)
    sendNoContent(ctx)
  }

  routeReadOnlyResource(router, resource, deps)
  router.post(path, createOne)
  router.put(`${path}:id/`, updateOne([json], whole))
  router.patch(`${path}:id/`, updateOne([json, mergePatch], part))
  router.delete(`${path}:id/`, destroyOne)
}

/** The pages before and after. From past the end the way back is to the last page, not to another empty one. */
const neighbours = (
  { page, size }: Window,
  count: number,
): { previous: number | undefined; next: number | undefined } => {
  const last = Math.max(1, Math.ceil(count / size))
  return { previous: page > 1 ? Math.min(page - 1, last) : undefined, next: page < last ? page + 1 : undefined }
}
