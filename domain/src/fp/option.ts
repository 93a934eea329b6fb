import type * as fp from 'fp-ts/lib/Option.js'
import { option } from './fp-ts.cjs'

export type Option<A> = fp.Option<A>

export const { getOrElse, isNone, isSome, map, none, some, toUndefined } = option
