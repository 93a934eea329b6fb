/** Returns JSON text. Bigints become texts, because most JSON parsers round large numbers. */
export const toJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    // slower, so only for values that need it
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  }
}
