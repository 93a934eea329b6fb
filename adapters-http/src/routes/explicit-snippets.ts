import type { UseCases } from '@snippets/application/use-cases.js'
import { isLeft, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { created, noContent, shown, shownIf } from '../answer/answer.js'
import { snippetRepresentation } from '../answer/snippet-representation.js'
import { type StreamList, snippetListSchema } from '../answer/streamed-list.js'
import type { Links } from '../request/links.js'
import { noQuery } from '../request/list-query.js'
import { pathId } from '../request/path-id.js'
import { expectation, readCondition } from '../request/preconditions.js'
import type { SnippetBodies } from '../request/snippet-body.js'
import {
  createProblems,
  deleteProblems,
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

const tag = 'Snippets'
const path = '/api/snippets/'
const { show } = snippetRepresentation

type Options = Readonly<{ links: Links; streamList: StreamList; bodies: SnippetBodies }>

/** The explicit family: route by route, each with every step of its own. */
export const explicitSnippets = (useCases: UseCases, { links, streamList, bodies }: Options): readonly Route[] => [
  listSnippets(useCases, streamList),
  createSnippet(useCases, { links, bodies }),
  retrieveSnippet(useCases),
  replaceSnippet(useCases, bodies),
  deleteSnippet(useCases),
]

const listSnippets = (useCases: UseCases, streamList: StreamList): Route =>
  route({
    method: 'GET',
    path,
    operationId: 'listSnippets',
    summary: 'List all snippets by id',
    tag,
    reads: { query: noQuery },
    answers: [describeOk('All snippets.', snippetListSchema)],
    problems: [...listProblems, 'overloaded'],
    run: () => streamList(useCases.streamSnippets()),
  })

const createSnippet = (useCases: UseCases, { links, bodies }: Omit<Options, 'streamList'>): Route =>
  route({
    method: 'POST',
    path,
    operationId: 'createSnippet',
    summary: 'Create a snippet',
    tag,
    reads: { content: bodies.content },
    answers: [describeCreated('The new snippet.', snippetRepresentation)],
    problems: createProblems,
    run: async ({ content }) =>
      pipe(
        await useCases.createSnippet(content)(),
        map(snippet => created(links.location(`${path}${snippet.id}/`), show(snippet))),
      ),
  })

const retrieveSnippet = (useCases: UseCases): Route =>
  route({
    method: 'GET',
    path: `${path}:id/`,
    operationId: 'retrieveSnippet',
    summary: 'Retrieve a snippet',
    tag,
    reads: { id: pathId, condition: readCondition },
    answers: [describeItem('The snippet.', snippetRepresentation), describeNotModified],
    problems: readProblems,
    run: async ({ id, condition }) => {
      const found = await useCases.retrieveSnippet(id)()
      return isLeft(found) ? found : shownIf(show(found.right), condition)
    },
  })

const replaceSnippet = (useCases: UseCases, bodies: SnippetBodies): Route =>
  route({
    method: 'PUT',
    path: `${path}:id/`,
    operationId: 'updateSnippet',
    summary: 'Replace a snippet',
    tag,
    reads: { content: bodies.content, id: pathId, expected: expectation },
    answers: [describeItem('The snippet as it is now.', snippetRepresentation)],
    problems: updateProblems,
    run: async ({ id, content, expected }) =>
      pipe(
        await useCases.updateSnippet(id, content, expected)(),
        map(snippet => shown(show(snippet))),
      ),
  })

const deleteSnippet = (useCases: UseCases): Route =>
  route({
    method: 'DELETE',
    path: `${path}:id/`,
    operationId: 'deleteSnippet',
    summary: 'Delete a snippet',
    tag,
    reads: { id: pathId, expected: expectation },
    answers: [describeDeleted],
    problems: deleteProblems,
    run: async ({ id, expected }) =>
      pipe(
        await useCases.deleteSnippet(id, expected)(),
        map(() => noContent()),
      ),
  })
