const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop, for one caller in each turn: of many large answers that are made at the same
 * time, other requests wait for one piece only.
 */
export const ownTurn = (): Promise<void> =>
  new Promise(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(next)
  })

const next = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}
