import { inspect } from 'node:util'

/** Returns the tag or message of an error, and those of its causes. `inspect` omits messages that the stack lacks. */
export const errorText = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return inspect(error)
  const name = '_tag' in error ? `${error._tag}` : error instanceof Error ? `${error}` : inspect(error)
  const details = ['outcome', 'code'].flatMap(key => (key in error ? [`${error[key as keyof typeof error]}`] : []))
  const cause = 'cause' in error && error.cause !== undefined ? `: ${errorText(error.cause)}` : ''
  return `${name}${details.length > 0 ? ` (${details.join(', ')})` : ''}${cause}`
}
