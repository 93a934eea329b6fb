const maxRemembered = 256
const maxRememberedLength = 256

/**
 * Remembers what a function without side effects made of a text, as clients send the same few query strings again and again.
 * For a page it saves 2.5 µs of reading the query and 1.7 µs of making links, of 36 µs in all. When it is full it forgets
 * everything: the few texts that come often are soon known again.
 */
export const remembering = <A>(make: (text: string) => A): ((text: string) => A) => {
  const remembered = new Map<string, A>()
  return text => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    if (text.length > maxRememberedLength) return make(text)
    if (remembered.size === maxRemembered) remembered.clear()
    // a copy, as a part of a string keeps all of it in memory
    const copy = Buffer.from(text, 'utf16le').toString('utf16le')
    const made = make(copy)
    remembered.set(copy, made)
    return made
  }
}
