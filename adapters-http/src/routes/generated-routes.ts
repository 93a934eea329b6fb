import type { Created, KeyedContent } from '@snippets/domain/entities/idempotency-key.js'
import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import type { Page } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { idempotencyKeyReader } from '../request/idempotency-key.js'
import type { ListRequest } from '../request/list-query.js'
import { pathIdReader } from '../request/path-id.js'
import { expectationReader, preconditionReader } from '../request/preconditions.js'
import type { RequestReader } from '../request/reader.js'
import { createBaseUrlReader } from '../request/target.js'
import {
  makeCreatedResponse,
  makeItemResponse,
  makeNoContentResponse,
  type Representation,
} from '../response/response.js'
import { type OpenApiOperation, operationsToWrite, operationToGet, operationToList } from './operations.js'
import { makePageResponse, type PagedQuery } from './page-response.js'
import { type Route, route } from './router.js'

/** A resource that clients can list and get. */
export type ReadOnlyResource<A extends object, Q extends PagedQuery> = Readonly<{
  path: string
  representation: Representation<A>
  listReader: RequestReader<ListRequest<A, Q>>
  list: (query: Q) => TE.TaskEither<StorageError, Page<A>>
  get: (id: Id) => TE.TaskEither<StorageError, A>
}>

/** A resource that clients can also write. `changesReader` reads a merge patch of the content. */
export type Resource<A extends { id: Id }, Q extends PagedQuery, Content extends object> = ReadOnlyResource<A, Q> &
  Readonly<{
    contentReader: RequestReader<Content>
    changesReader: RequestReader<ChangesOf<Content>>
    create: (content: Content, keyed: Option<KeyedContent>) => TE.TaskEither<StorageError, Created<A>>
    update: (id: Id, changes: ChangesOf<Content>, expected: Expectation) => TE.TaskEither<StorageError, A>
    delete: (id: Id, expected: Expectation) => TE.TaskEither<StorageError, void>
  }>

type ChangesOf<Content> = Readonly<Partial<Content>>

export const createReadOnlyRoutes = <A extends object, Q extends PagedQuery>(
  resource: ReadOnlyResource<A, Q>,
  publicUrl: string,
): readonly Route[] => {
  const { path, representation, listReader, list, get } = resource
  const { render } = representation
  return [
    route({
      method: 'GET',
      path,
      reads: { listRequest: listReader, baseUrl: createBaseUrlReader(publicUrl) },
      run: ({ listRequest, baseUrl }) =>
        pipe(
          list(listRequest.query),
          TE.map(page => makePageResponse(baseUrl + path, listRequest, page, render)),
        ),
      operation: operationToList(representation),
    }),
    route({
      method: 'GET',
      path: `${path}:id/`,
      reads: { id: pathIdReader, applyPrecondition: preconditionReader },
      run: ({ id, applyPrecondition }) => pipe(get(id), TE.map(flow(render, makeItemResponse, applyPrecondition))),
      operation: operationToGet(representation),
    }),
  ]
}

export const createResourceRoutes = <A extends { id: Id }, Q extends PagedQuery, Content extends object>(
  resource: Resource<A, Q, Content>,
  publicUrl: string,
): readonly Route[] => {
  const { path, representation, contentReader, changesReader, create, update } = resource
  const { render } = representation
  const operations = operationsToWrite(representation, path)
  const updateRoute = (
    method: 'PUT' | 'PATCH',
    bodyReader: RequestReader<ChangesOf<Content>>,
    operation: OpenApiOperation,
  ): Route =>
    route({
      method,
      path: `${path}:id/`,
      reads: { changes: bodyReader, id: pathIdReader, expected: expectationReader },
      run: ({ id, changes, expected }) => pipe(update(id, changes, expected), TE.map(flow(render, makeItemResponse))),
      operation,
    })
  return [
    ...createReadOnlyRoutes(resource, publicUrl),
    route({
      method: 'POST',
      path,
      reads: { content: contentReader, toKeyedContent: idempotencyKeyReader },
      run: ({ content, toKeyedContent }) =>
        pipe(create(content, toKeyedContent(content)), TE.map(makeCreatedResponse(publicUrl + path, render))),
      operation: operations.create,
    }),
    updateRoute('PUT', contentReader, operations.replace),
    updateRoute('PATCH', changesReader, operations.update),
    route({
      method: 'DELETE',
      path: `${path}:id/`,
      reads: { id: pathIdReader, expected: expectationReader },
      run: ({ id, expected }) => pipe(resource.delete(id, expected), TE.as(makeNoContentResponse())),
      operation: operations.delete,
    }),
  ]
}
