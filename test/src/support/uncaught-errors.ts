import { errorText } from './error-text.js'

/** Collects uncaught errors until `end` is called. Mocha would fail the current test with each of them. */
export const collectUncaught = () => {
  const errors = new Set<string>()
  const note = (error: unknown): void => void errors.add(errorText(error))
  const previous = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', note)
  const end = (): void => {
    process.off('uncaughtException', note)
    for (const listener of previous) process.on('uncaughtException', listener)
  }
  return { errors, end }
}
