import type { IdempotencyKey } from '@snippets/domain/entities/idempotency-key.js'
import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { CreateOnceError, DeleteError, PageError, ReadError, UpdateError } from '@snippets/domain/ports/errors.js'
import type { Page } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { baseUrlReader } from '../request/base-url.js'
import { creationOf } from '../request/idempotency-key.js'
import type { ListRequest } from '../request/list-query.js'
import { pathId } from '../request/path-id.js'
import { readCondition, writeCondition } from '../request/preconditions.js'
import type { RequestReader } from '../request/reader.js'
import { createdResponse, itemResponse, noContent, type Representation } from '../response/response.js'
import { deletedDescription, describeCreated, describeOk, describeRead, recipes } from './descriptions.js'
import { type PagedQuery, pageHeaders, pageResponse, pageSchema } from './page-response.js'
import { type Route, type RouteOptions, route } from './route.js'

/** A resource that clients can list and retrieve. */
export type ReadOnlyResource<A extends object, Q extends PagedQuery> = Readonly<{
  path: string
  tag: string
  /** The nouns in summaries. Operation ids have the same words without articles: "Get a user" is `getUser`. */
  noun: Readonly<{ one: string; many: string }>
  representation: Representation<A>
  listReader: RequestReader<ListRequest<A, Q>>
  list: (query: Q) => TE.TaskEither<PageError, Page<A>>
  retrieve: (id: Id) => TE.TaskEither<ReadError, A>
}>

/** A resource that clients can also write. `changes` reads a merge patch of `content`. */
export type Resource<A extends { id: Id }, Q extends PagedQuery, Content extends object> = ReadOnlyResource<A, Q> &
  Readonly<{
    content: RequestReader<Content>
    changes: RequestReader<ChangesOf<Content>>
    create: (
      content: Content,
      key: Option<IdempotencyKey>,
    ) => TE.TaskEither<CreateOnceError, Readonly<{ item: A; isReplay: boolean }>>
    update: (id: Id, changes: ChangesOf<Content>, expected: Expectation) => TE.TaskEither<UpdateError, A>
    destroy: (id: Id, expected: Expectation) => TE.TaskEither<DeleteError, void>
  }>

type ChangesOf<Content> = Readonly<Partial<Content>>

const operationId = (verb: string, noun: string): string =>
  `${verb} ${noun}`.replace(/ (?:an? |the )?(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Generates the routes of a read-only resource from its description. */
export const readOnlyRoutes = <A extends object, Q extends PagedQuery>(
  resource: ReadOnlyResource<A, Q>,
  { publicUrl, longResponses }: RouteOptions,
): readonly Route[] => {
  const { path, tag, noun, representation, listReader, list, retrieve } = resource
  const { renderMemoized } = representation
  return [
    route({
      method: 'GET',
      path,
      operationId: operationId('list', noun.many),
      summary: `List ${noun.many} page by page`,
      description: recipes.page,
      tag,
      reads: { listRequest: listReader, baseUrl: baseUrlReader(publicUrl) },
      responses: [describeOk('One page.', pageSchema(representation), pageHeaders)],
      run: ({ listRequest, baseUrl }) =>
        pipe(
          list(listRequest.query),
          TE.map(page => pageResponse(baseUrl + path, listRequest, page, renderMemoized, longResponses)),
        ),
    }),
    route({
      method: 'GET',
      path: `${path}:id/`,
      operationId: operationId('get', noun.one),
      summary: `Get ${noun.one}`,
      description: recipes.get,
      tag,
      reads: { id: pathId, applyCondition: readCondition },
      responses: describeRead('The item.', representation),
      run: ({ id, applyCondition }) => pipe(retrieve(id), TE.map(flow(renderMemoized, itemResponse, applyCondition))),
    }),
  ]
}

/** Generates the CRUD routes of a resource from its description. */
export const resourceRoutes = <A extends { id: Id }, Q extends PagedQuery, Content extends object>(
  resource: Resource<A, Q, Content>,
  options: RouteOptions,
): readonly Route[] => {
  const { path, tag, noun, representation, content, changes, create, update, destroy } = resource
  const { render } = representation
  const updateRoute = (
    method: 'PUT' | 'PATCH',
    verb: 'replace' | 'update',
    summary: string,
    body: RequestReader<ChangesOf<Content>>,
  ): Route =>
    route({
      method,
      path: `${path}:id/`,
      operationId: operationId(verb, noun.one),
      summary,
      description: recipes[verb],
      tag,
      reads: { body, id: pathId, expected: writeCondition },
      responses: [describeOk('The item as it is now.', representation)],
      run: ({ id, body, expected }) => pipe(update(id, body, expected), TE.map(flow(render, itemResponse))),
    })
  return [
    ...readOnlyRoutes(resource, options),
    route({
      method: 'POST',
      path,
      operationId: operationId('create', noun.one),
      summary: `Create ${noun.one}`,
      description: recipes.create,
      tag,
      reads: { creation: creationOf(content) },
      responses: [describeCreated(representation, path)],
      run: ({ creation: { content, key } }) =>
        pipe(create(content, key), TE.map(createdResponse(options.publicUrl + path, render))),
    }),
    updateRoute('PUT', 'replace', `Replace ${noun.one}`, content),
    updateRoute('PATCH', 'update', `Change some fields of ${noun.one}`, changes),
    route({
      method: 'DELETE',
      path: `${path}:id/`,
      operationId: operationId('delete', noun.one),
      summary: `Delete ${noun.one}`,
      description: recipes.delete,
      tag,
      reads: { id: pathId, expected: writeCondition },
      responses: [deletedDescription],
      run: ({ id, expected }) => pipe(destroy(id, expected), TE.as(noContent())),
    }),
  ]
}
