// required, as Node.js reads the source of a CommonJS module that is imported, to find its format and its exports
import fp = require('fp-ts/lib/Option')

export type Option<A> = fp.Option<A>

export const { getOrElse, isNone, isSome, map, none, some, toUndefined } = fp
