/** Without the path, which Node appends: the sentence begins with it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, \w+ '.*$/s, '') : String(error)
