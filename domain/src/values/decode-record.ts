import * as E from 'fp-ts/lib/Either.js'
import type { Fault } from './codec.js'

/** A decoder of one text of a record. A missing text counts as empty. */
type EntryDecoder<Reason, A> = Readonly<{ decode: (text: string) => E.Either<Reason, A> }>

type EntryDecoders<Reason = unknown> = Readonly<Record<string, EntryDecoder<Reason, unknown>>>

type ValueOf<D> = D extends EntryDecoder<unknown, infer A> ? A : never

/** The decoded values. A value of type `undefined` may be missing. */
export type Decoded<D extends EntryDecoders> = {
  readonly [Name in keyof D as undefined extends ValueOf<D[Name]> ? never : Name]: ValueOf<D[Name]>
} & { readonly [Name in keyof D as undefined extends ValueOf<D[Name]> ? Name : never]?: NonNullable<ValueOf<D[Name]>> }

/** Decodes the texts of a record. Left holds every fault. */
export const decodeRecord = <Reason, D extends EntryDecoders<Reason>>(
  decoders: D & EntryDecoders<Reason>,
  texts: Readonly<Record<string, string | undefined>>,
): E.Either<readonly Fault<Reason>[], Decoded<D>> => {
  const values: Record<string, unknown> = {}
  const faults: Fault<Reason>[] = []
  for (const [name, { decode }] of Object.entries(decoders)) {
    const decoded = decode(texts[name] ?? '')
    if (E.isLeft(decoded)) faults.push({ name, reason: decoded.left })
    else if (decoded.right !== undefined) values[name] = decoded.right
  }
  // the compiler cannot infer from a loop that each value has the type of its decoder
  return faults.length > 0 ? E.left(faults) : E.right(values as Decoded<D>)
}
