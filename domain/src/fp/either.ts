import type * as fp from 'fp-ts/lib/Either.js'
import { either } from './fp-ts.cjs'

export type Either<E, A> = fp.Either<E, A>

export const { chain, filterOrElse, fromOption, isLeft, isRight, left, map, mapLeft, right, traverseArray } = either
