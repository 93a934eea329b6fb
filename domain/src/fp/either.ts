// required, as Node.js reads the source of a CommonJS module that is imported, to find its format and its exports
import fp = require('fp-ts/lib/Either')

export type Either<E, A> = fp.Either<E, A>

export const { chain, filterOrElse, fromOption, isLeft, isRight, left, map, mapLeft, right, traverseArray } = fp
