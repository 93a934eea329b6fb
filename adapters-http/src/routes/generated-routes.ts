import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { Page } from '@snippets/domain/list/page.js'
import type {
  CreateOnceError,
  DeleteError,
  KeyInUse,
  PageError,
  ReadError,
  UpdateError,
} from '@snippets/domain/ports/errors.js'
import type { RetryKey } from '@snippets/domain/ports/retry-key.js'
import type { Id } from '@snippets/domain/values/id.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { answerIf, created, noContent, shown } from '../answer/answer.js'
import { type Paged, pageAnswer, pageSchema } from '../answer/page-answer.js'
import type { Representation } from '../answer/representation.js'
import { idempotencyKey, retryKey } from '../request/idempotency-key.js'
import { pathId } from '../request/path-id.js'
import { expectation, noCondition, readCondition } from '../request/preconditions.js'
import { queriesOfPages, rawQuery } from '../request/query-string.js'
import type { Reader } from '../request/reader.js'
import type { Links } from '../request/target.js'
import {
  createProblems,
  deleteProblems,
  describeCreated,
  describeDeleted,
  describeItem,
  describeNotModified,
  describePage,
  listProblems,
  readProblems,
  updateProblems,
} from './answer-descriptions.js'
import { type Route, route } from './route.js'

/** A resource that clients can list and retrieve. */
export type ReadOnlyResource<A extends object, Q extends Paged> = Readonly<{
  path: string
  tag: string
  /** As in the operation ids `listUsers` and `retrieveUser` and in the summary "Retrieve a user". */
  name: Readonly<{ one: string; many: string; spoken: string }>
  representation: Representation<A>
  query: Reader<Q>
  list: (query: Q) => TE.TaskEither<PageError, Page<A>>
  /** Where an item stands in the order of a query. Without it, links go by the number of the page only. */
  cursorOf?: (query: Q, item: A) => string
  retrieve: (id: Id) => TE.TaskEither<ReadError, A>
}>

/** A resource that clients can also write. `part` reads a merge patch of `whole`. */
export type Resource<A extends { id: Id }, Q extends Paged, Whole extends Part & object, Part> = ReadOnlyResource<
  A,
  Q
> &
  Readonly<{
    whole: Reader<Whole>
    part: Reader<Part>
    create: (
      whole: Whole,
      retry: Option<RetryKey>,
    ) => TE.TaskEither<CreateOnceError | KeyInUse, Readonly<{ item: A; isReplay: boolean }>>
    update: (id: Id, part: Part, expected: Expectation) => TE.TaskEither<UpdateError, A>
    destroy: (id: Id, expected: Expectation) => TE.TaskEither<DeleteError, void>
  }>

/** Generates the routes of a read-only resource from its description. */
export const readOnlyRoutes = <A extends object, Q extends Paged>(
  resource: ReadOnlyResource<A, Q>,
  links: Links,
): readonly Route[] => [listRoute(resource, links), retrieveRoute(resource)]

/** Generates the conventional routes of a resource from its description. */
export const resourceRoutes = <A extends { id: Id }, Q extends Paged, Whole extends Part, Part extends object>(
  resource: Resource<A, Q, Whole, Part>,
  links: Links,
): readonly Route[] => [
  ...readOnlyRoutes(resource, links),
  createRoute(resource, links),
  updateRoute(resource, { method: 'PUT', verb: 'update', summary: 'Replace', changes: resource.whole }),
  updateRoute(resource, { method: 'PATCH', verb: 'patch', summary: 'Change some fields of', changes: resource.part }),
  destroyRoute(resource),
]

const listRoute = <A extends object, Q extends Paged>(
  { path, tag, name, representation, query, list, cursorOf }: ReadOnlyResource<A, Q>,
  { origin, toDescription }: Links,
): Route =>
  route({
    method: 'GET',
    path,
    operationId: `list${name.many}`,
    summary: `List ${name.spoken}s page by page`,
    tag,
    reads: { query },
    answers: [describePage(pageSchema(representation))],
    problems: listProblems,
    run: ({ query }, ctx) =>
      pipe(
        list(query),
        TE.map(page => {
          const queryOf = queriesOfPages(rawQuery(ctx))
          return pageAnswer(query, page, representation, {
            urlOf: (number, cursor) => `${origin(ctx)}${path}?${queryOf(number, cursor)}`,
            cursorOf: cursorOf && (item => cursorOf(query, item)),
            toDescription,
          })
        }),
      ),
  })

const retrieveRoute = <A extends object, Q extends Paged>({
  path,
  tag,
  name,
  representation,
  retrieve,
}: ReadOnlyResource<A, Q>): Route =>
  route({
    method: 'GET',
    path: `${path}:id/`,
    item: name.spoken,
    operationId: `retrieve${name.one}`,
    summary: `Retrieve a ${name.spoken}`,
    tag,
    reads: { id: pathId, condition: representation.isTagged ? readCondition : noCondition },
    answers: [
      describeItem(`The ${name.spoken}.`, representation),
      ...(representation.isTagged ? [describeNotModified] : []),
    ],
    problems: readProblems,
    run: ({ id, condition }) =>
      pipe(
        retrieve(id),
        TE.map(representation.show),
        TE.map(item => answerIf(item.etag, condition, () => shown(item))),
      ),
  })

type Writable<A extends { id: Id }, Part extends object> = Resource<A, Paged, Part, Part>

const createRoute = <A extends { id: Id }, Whole extends object>(
  {
    path,
    tag,
    name,
    representation,
    whole,
    create,
  }: Pick<Writable<A, Whole>, 'path' | 'tag' | 'name' | 'representation' | 'whole' | 'create'>,
  links: Links,
): Route =>
  route({
    method: 'POST',
    path,
    operationId: `create${name.one}`,
    summary: `Create a ${name.spoken}`,
    tag,
    reads: { whole, key: idempotencyKey },
    answers: [describeCreated(`The new ${name.spoken}.`, representation)],
    problems: createProblems,
    run: ({ whole, key }) =>
      pipe(
        create(whole, retryKey(key, whole)),
        TE.map(({ item, isReplay }) =>
          created(links.location(`${path}${item.id}/`), representation.show(item), isReplay),
        ),
      ),
  })

type Update<Part> = Readonly<{ method: 'PUT' | 'PATCH'; verb: string; summary: string; changes: Reader<Part> }>

const updateRoute = <A extends { id: Id }, Part extends object>(
  {
    path,
    tag,
    name,
    representation,
    update,
  }: Pick<Writable<A, Part>, 'path' | 'tag' | 'name' | 'representation' | 'update'>,
  { method, verb, summary, changes }: Update<Part>,
): Route =>
  route({
    method,
    path: `${path}:id/`,
    item: name.spoken,
    operationId: `${verb}${name.one}`,
    summary: `${summary} a ${name.spoken}`,
    tag,
    reads: { changes, id: pathId, expected: expectation },
    answers: [describeItem(`The ${name.spoken} as it is now.`, representation)],
    problems: updateProblems,
    run: ({ id, changes, expected }) =>
      pipe(
        update(id, changes, expected),
        TE.map(item => shown(representation.show(item))),
      ),
  })

const destroyRoute = <A extends { id: Id }, Part extends object>({
  path,
  tag,
  name,
  destroy,
}: Pick<Writable<A, Part>, 'path' | 'tag' | 'name' | 'destroy'>): Route =>
  route({
    method: 'DELETE',
    path: `${path}:id/`,
    item: name.spoken,
    operationId: `delete${name.one}`,
    summary: `Delete a ${name.spoken}`,
    tag,
    reads: { id: pathId, expected: expectation },
    answers: [describeDeleted],
    problems: deleteProblems,
    run: ({ id, expected }) =>
      pipe(
        destroy(id, expected),
        TE.map(() => noContent()),
      ),
  })
