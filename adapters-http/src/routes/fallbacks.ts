import { noContent, permanentRedirect } from '../answer/answer.js'
import { json, mergePatch } from '../answer/media-types.js'
import { methodNotAllowed, problem } from '../answer/problems.js'
import type { Fallbacks } from '../koa/indexed-router.js'
import { writeAnswer } from '../koa/write-answer.js'
import type { Links } from '../request/links.js'
import { rawQuery } from '../request/query-string.js'
import { refuse } from './answering.js'
import type { Route } from './route.js'

/** Answers what no route answers. An unknown path is told which there are: whoever asks for `/` wants to know. */
export const fallbacksFor = (routes: readonly Route[], links: Links): Fallbacks => {
  const unknownPath = problem('unknown-path', {
    detail: `There is nothing at this path. Try ${listOf(pathsWithoutId(routes))}.`,
    headers: { Link: links.toDescription },
  })
  return {
    notFound: ctx => refuse(ctx, unknownPath),
    missingSlash: (ctx, path) => {
      const query = rawQuery(ctx)
      return writeAnswer(ctx, permanentRedirect(`${path}/${query && `?${query}`}`))
    },
    otherMethod: (ctx, allowed) => {
      if (ctx.req.method !== 'OPTIONS') return refuse(ctx, methodNotAllowed(ctx.req.method ?? '', allowed))
      const patches = allowed.includes('PATCH') && { 'Accept-Patch': `${json}, ${mergePatch}` }
      return writeAnswer(ctx, noContent({ Allow: allowed.join(', '), ...patches }))
    },
  }
}

const pathsWithoutId = (routes: readonly Route[]): readonly string[] => [
  ...new Set(routes.map(({ path }) => path).filter(path => !path.includes(':'))),
]

const listOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
