import type { UseCases } from '@snippets/application/use-cases.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { answerIf, created, noContent, replayed, shown, shownIf } from '../answer/answer.js'
import { entityTag } from '../answer/entity-tag.js'
import { descriptionLinkHeader, withLink } from '../answer/link-header.js'
import { codeOf } from '../answer/snippet-code.js'
import { snippetRepresentation } from '../answer/snippet-representation.js'
import { type StreamList, snippetListSchema } from '../answer/streamed-list.js'
import { idempotencyKey, retryKey } from '../request/idempotency-key.js'
import type { Links } from '../request/links.js'
import { noQuery } from '../request/list-query.js'
import { pathId } from '../request/path-id.js'
import { expectation, readCondition } from '../request/preconditions.js'
import type { SnippetBodies } from '../request/snippet-body.js'
import {
  createProblems,
  deleteProblems,
  describeCode,
  describeCreated,
  describeDeleted,
  describeItem,
  describeNotModified,
  describeOk,
  listProblems,
  readProblems,
  updateProblems,
} from './answer-descriptions.js'
import { type Route, route } from './route.js'
import { snippetsViewsetPath } from './snippets-viewset.js'

const tag = 'Snippets'
const path = '/api/snippets/'
const { show, showWritten } = snippetRepresentation

type Options = Readonly<{ links: Links; streamList: StreamList; bodies: SnippetBodies }>

/** The explicit family: route by route, each with every step of its own. */
export const explicitSnippets = (useCases: UseCases, options: Options): readonly Route[] => [
  listSnippets(useCases, options),
  createSnippet(useCases, options),
  retrieveSnippet(useCases),
  retrieveCode(useCases),
  replaceSnippet(useCases, options),
  deleteSnippet(useCases),
]

const listSnippets = (useCases: UseCases, { links, streamList }: Options): Route =>
  route({
    method: 'GET',
    path,
    operationId: 'listSnippets',
    summary: 'List all snippets by id',
    tag,
    reads: { query: noQuery(snippetsViewsetPath) },
    answers: [describeOk('All snippets.', snippetListSchema, descriptionLinkHeader)],
    problems: [...listProblems, 'overloaded'],
    run: async () =>
      pipe(
        await streamList(useCases.streamSnippets()),
        E.map(list => withLink(list, links.toDescription)),
      ),
  })

const createSnippet = (useCases: UseCases, { links, bodies }: Options): Route =>
  route({
    method: 'POST',
    path,
    operationId: 'createSnippet',
    summary: 'Create a snippet',
    tag,
    reads: { content: bodies.content, key: idempotencyKey },
    answers: [describeCreated('The new snippet.', snippetRepresentation)],
    problems: createProblems,
    run: async ({ content, key }) => {
      const answer = (snippet: Snippet) => created(links.location(`${path}${snippet.id}/`), showWritten(snippet))
      if (key === undefined) return pipe(await useCases.createSnippet(content)(), E.map(answer))
      return pipe(
        await useCases.createSnippetOnce(content, retryKey(key, content))(),
        E.map(({ item, isReplay }) => (isReplay ? replayed(answer(item)) : answer(item))),
      )
    },
  })

const retrieveSnippet = (useCases: UseCases): Route =>
  route({
    method: 'GET',
    path: `${path}:id/`,
    item: 'snippet',
    operationId: 'retrieveSnippet',
    summary: 'Retrieve a snippet',
    tag,
    reads: { id: pathId, condition: readCondition },
    answers: [describeItem('The snippet.', snippetRepresentation), describeNotModified],
    problems: readProblems,
    run: async ({ id, condition }) => {
      const found = await useCases.retrieveSnippet(id)()
      return E.isLeft(found) ? found : shownIf(show(found.right), condition)
    },
  })

const retrieveCode = (useCases: UseCases): Route =>
  route({
    method: 'GET',
    path: `${path}:id/raw/`,
    item: 'snippet',
    operationId: 'retrieveSnippetCode',
    summary: 'Retrieve the code of a snippet, and nothing else',
    tag,
    reads: { id: pathId, condition: readCondition },
    answers: [describeCode, describeNotModified],
    problems: readProblems,
    run: async ({ id, condition }) => {
      const found = await useCases.retrieveSnippet(id)()
      return E.isLeft(found) ? found : answerIf(entityTag(found.right), condition, () => codeOf(found.right))
    },
  })

const replaceSnippet = (useCases: UseCases, { bodies }: Options): Route =>
  route({
    method: 'PUT',
    path: `${path}:id/`,
    item: 'snippet',
    operationId: 'updateSnippet',
    summary: 'Replace a snippet',
    tag,
    reads: { content: bodies.content, id: pathId, expected: expectation },
    answers: [describeItem('The snippet as it is now.', snippetRepresentation)],
    problems: updateProblems,
    run: async ({ id, content, expected }) =>
      pipe(
        await useCases.updateSnippet(id, content, expected)(),
        E.map(snippet => shown(showWritten(snippet))),
      ),
  })

const deleteSnippet = (useCases: UseCases): Route =>
  route({
    method: 'DELETE',
    path: `${path}:id/`,
    item: 'snippet',
    operationId: 'deleteSnippet',
    summary: 'Delete a snippet',
    tag,
    reads: { id: pathId, expected: expectation },
    answers: [describeDeleted],
    problems: deleteProblems,
    run: async ({ id, expected }) =>
      pipe(
        await useCases.deleteSnippet(id, expected)(),
        E.map(() => noContent()),
      ),
  })
