import * as E from 'fp-ts/lib/Either.js'
import { reasonOf } from './reason-of.js'

/** More than any row: its texts are bounded, and so is what escapes make of them. */
const maxLineLength = 1024 * 1024

/** Splits a stream of bytes into lines, holding one chunk and one line at a time. The last line may lack its break. A `Left` is the last item. */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<E.Either<string, readonly string[]>> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  try {
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield E.right(lines)
      if (rest.length > maxLineLength) return yield E.left('has a line of more than 1 MiB')
    }
    const last = rest + decoder.decode()
    if (last !== '') yield E.right([last])
  } catch (error) {
    yield E.left(error instanceof TypeError ? 'is not UTF-8' : `cannot be read (${reasonOf(error)})`)
  }
}
