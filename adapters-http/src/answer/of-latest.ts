/** Remembers the result for the latest key: many snippets are created within a millisecond, most requests name one host. */
export const ofLatest = <K, V>(make: (key: K) => V): ((key: K) => V) => {
  let latest: Readonly<{ key: K; made: V }> | undefined
  return key => {
    if (latest?.key !== key) latest = { key, made: make(key) }
    return latest.made
  }
}
