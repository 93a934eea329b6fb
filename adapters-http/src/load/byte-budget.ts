/** Counts the bytes that requests or responses in progress hold together. Its callers enforce the limit. */
export type ByteBudget = Readonly<{
  maxBytes: number
  taken: () => number
  take: (bytes: number) => void
  release: (bytes: number) => void
}>

export const byteBudget = (maxBytes: number): ByteBudget => {
  let taken = 0
  const take = (bytes: number): void => {
    taken += bytes
  }
  return { maxBytes, taken: () => taken, take, release: bytes => take(-bytes) }
}
