/** Like Object.groupBy, which Node.js has from version 21. That of fp-ts would load a dozen modules at start. */
export const groupBy = <A>(items: readonly A[], keyOf: (item: A) => string): Readonly<Record<string, readonly A[]>> => {
  const groups: Record<string, A[]> = {}
  for (const item of items) {
    const key = keyOf(item)
    groups[key] = [...(groups[key] ?? []), item]
  }
  return groups
}
