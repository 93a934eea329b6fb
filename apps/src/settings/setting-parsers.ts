import { isIPv6 } from 'node:net'
import { type User, userCodec, usernameLimits } from '@snippets/domain/entities/user.js'
import { makeId } from '@snippets/domain/values/id.js'
import * as A from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ReaderEither } from 'fp-ts/lib/ReaderEither.js'

export const bytesPerMiB = 1024 * 1024

/** The environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A reader of a setting. Left holds messages for the operator. */
export type SettingReader<A> = ReaderEither<Environment, readonly string[], A>

/** The values that readers return, by the names of the settings. */
export type ValuesOf<Readers> = {
  readonly [Name in keyof Readers]: Readers[Name] extends SettingReader<infer A> ? A : never
}

/**
 * A parser of a setting. A Left, such as `must be a path`, follows the name of the setting in the message. It never
 * quotes a value that may contain a password.
 */
type ParseSetting<A> = ReaderEither<string, string, A>

/**
 * Returns a reader of a setting. An empty value counts as unset, because compose files pass unset variables on as
 * empty.
 */
export const setting =
  <A>(name: string, fallback: string, parse: ParseSetting<A>): SettingReader<A> =>
  environment =>
    pipe(
      environment[name] || fallback,
      // systemd continues a value without its closing quote on the next line
      E.fromPredicate(
        value => !/\p{Cc}/u.test(value),
        () => 'contains a control character, such as a line break',
      ),
      E.chain(parse),
      E.mapLeft(fault => [`${name} ${fault}`]),
    )

const mustBe = (allowed: string): E.Either<string, never> => E.left(`must be ${allowed}`)

export const optional =
  <A>(parse: ParseSetting<A>): ParseSetting<O.Option<A>> =>
  text =>
    text === '' ? E.right(O.none) : pipe(text, parse, E.map(O.some))

export const oneOf =
  <A extends string>(values: readonly A[]): ParseSetting<A> =>
  text =>
    E.fromNullable(`must be one of ${values.join(', ')}`)(values.find(known => known === text))

export const wholeNumber =
  (min: number, max: number): ParseSetting<number> =>
  text => {
    const value = /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? E.right(value) : mustBe(`a whole number from ${min} to ${max}`)
  }

export const hostName: ParseSetting<string> = text =>
  /^[\w.-]+$/.test(text) || isIPv6(text) ? E.right(text) : mustBe('a host name or an IP address, without a port')

/** Tells whether the text is no URL. A single letter before the colon is a drive of Windows. */
export const isPath = (text: string): boolean => !/^[a-z][\w+.-]+:/i.test(text)

export const path: ParseSetting<string> = text => (isPath(text) ? E.right(text) : mustBe('a path, not a URL'))

/** Parses a base URL and removes trailing slashes, so that a path can be appended. */
export const httpUrl: ParseSetting<string> = text =>
  /^https?:\/\/[\w.~:[\]-]+(\/[\w.~!$&'()*+,;=:@/-]*)?$/i.test(text) && URL.canParse(text)
    ? E.right(new URL(text).href.replace(/\/+$/, ''))
    : mustBe('an absolute http:// or https:// URL without user name, password, query and fragment')

/** Parses origins as browsers write them in the `Origin` header. */
export const origins: ParseSetting<readonly string[]> = text => {
  if (text === '' || text === '*') return E.right(text === '' ? [] : [text])
  const all = text.split(',').map(origin => origin.trim())
  const wrong = all.filter(origin => !isOrigin(origin))
  if (wrong.length === 0) return E.right(all)
  // hides passwords
  const shown = wrong.map(origin => `"${origin.replace(/^.*@/, '…@')}"`)
  return mustBe(
    `a list of origins such as https://example.org, without a path; or * alone for all. Wrong: ${shown.join(', ')}`,
  )
}

const isOrigin = (text: string): boolean => E.isRight(httpUrl(text)) && new URL(text).origin === text

/** Parses usernames and assigns ids in order, from 1. */
export const usernames: ParseSetting<readonly User[]> = text => {
  const names = text === '' ? [] : text.split(',').map(name => name.trim())
  const { min, max } = usernameLimits
  return names.every((username, index) => userCodec.is({ username }) && names.indexOf(username) === index)
    ? E.right(names.flatMap((username, index) => A.fromOption(makeId(BigInt(index + 1))).map(id => ({ id, username }))))
    : mustBe(`a list of usernames of ${min} to ${max} characters, each once`)
}
