import type {
  CreateError,
  CreateOnceError,
  DeleteError,
  KeyInUse,
  ListError,
  ReadError,
  UpdateError,
} from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Page } from '@snippets/domain/page.js'
import type { RetryKey } from '@snippets/domain/retry-key.js'
import type { Expectation } from '@snippets/domain/revision.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { created, noContent, replayed, shown, shownIf } from '../answer/answer.js'
import { withLink } from '../answer/link-header.js'
import { neighboursOf, type Paged } from '../answer/neighbours.js'
import { pageAnswer, pageSchema, withCountPrecision } from '../answer/page-representation.js'
import type { Representation, WritableRepresentation } from '../answer/representation.js'
import { idempotencyKey, retryKey } from '../request/idempotency-key.js'
import type { Links } from '../request/links.js'
import { pathId } from '../request/path-id.js'
import { expectation, noCondition, readCondition } from '../request/preconditions.js'
import type { Reader } from '../request/reader.js'
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
import { latestLinks } from './latest-links.js'
import { type Route, route } from './route.js'

/** A resource that clients can list and retrieve. */
export type ReadOnlyResource<A extends object, Q extends Paged> = Readonly<{
  path: string
  tag: string
  /** As in the operation ids `listUsers` and `retrieveUser` and in the summary "Retrieve a user". */
  name: Readonly<{ one: string; many: string; spoken: string }>
  representation: Representation<A>
  query: Reader<Q>
  list: (query: Q) => TaskEither<ListError, Page<A>>
  /** Where an item stands in the order of a query. Without it, links go by the number of the page only. */
  cursorOf?: (query: Q, item: A) => string
  retrieve: (id: Id) => TaskEither<ReadError, A>
}>

/** A resource that clients can also write. `part` reads a merge patch of `whole`. */
export type Resource<A extends { id: Id }, Q extends Paged, Whole extends Part & object, Part> = ReadOnlyResource<
  A,
  Q
> &
  Readonly<{
    representation: WritableRepresentation<A>
    whole: Reader<Whole>
    part: Reader<Part>
    create: (whole: Whole) => TaskEither<CreateError, A>
    createOnce: (
      whole: Whole,
      retry: RetryKey,
    ) => TaskEither<CreateOnceError | KeyInUse, Readonly<{ item: A; isReplay: boolean }>>
    update: (id: Id, part: Part, expected: Expectation) => TaskEither<UpdateError, A>
    destroy: (id: Id, expected: Expectation) => TaskEither<DeleteError, void>
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
  links: Links,
): Route => {
  const linksOf = latestLinks(path, links)
  return route({
    method: 'GET',
    path,
    operationId: `list${name.many}`,
    summary: `List ${name.spoken}s page by page`,
    tag,
    reads: { query },
    answers: [describePage(pageSchema(representation))],
    problems: listProblems,
    run: async ({ query }, ctx) => {
      const found = await list(query)()
      if (E.isLeft(found)) return found
      const neighbours = neighboursOf(query, found.right, item => cursorOf?.(query, item))
      const pageLinks = linksOf(ctx, neighbours)
      const answer = pageAnswer(found.right, representation, pageLinks)
      const whole = answer instanceof Promise ? await answer : answer
      return E.right(withCountPrecision(withLink(whole, pageLinks.header), found.right))
    },
  })
}

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
    run: async ({ id, condition }) => {
      const found = await retrieve(id)()
      return E.isLeft(found) ? found : shownIf(representation.show(found.right), condition)
    },
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
    createOnce,
  }: Pick<Writable<A, Whole>, 'path' | 'tag' | 'name' | 'representation' | 'whole' | 'create' | 'createOnce'>,
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
    run: async ({ whole, key }) => {
      const answer = (item: A) => created(links.location(`${path}${item.id}/`), representation.showWritten(item))
      if (key === undefined) return pipe(await create(whole)(), E.map(answer))
      return pipe(
        await createOnce(whole, retryKey(key, whole))(),
        E.map(({ item, isReplay }) => (isReplay ? replayed(answer(item)) : answer(item))),
      )
    },
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
    run: async ({ id, changes, expected }) =>
      pipe(
        await update(id, changes, expected)(),
        E.map(item => shown(representation.showWritten(item))),
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
    run: async ({ id, expected }) =>
      pipe(
        await destroy(id, expected)(),
        E.map(() => noContent()),
      ),
  })
