import type { ClassicLevel } from 'classic-level'

/** LevelDB. The keys are bytes, the values text. */
export type Level = ClassicLevel<Uint8Array, string>

/** Loaded on demand, so that a service that keeps nothing has no native code in it. */
export const openLevel = async (location: string, createIfMissing: boolean): Promise<Level> => {
  const { ClassicLevel } = await import('classic-level')
  const level = new ClassicLevel<Uint8Array, string>(location, {
    keyEncoding: 'view',
    valueEncoding: 'utf8',
    createIfMissing,
  })
  await level.open()
  return level
}

/** LevelDB's own message is the cause of the error that the library throws. */
export const rootCause = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** LevelDB passes on the text of `strerror`, not the number. */
export const isDiskFull = (error: unknown): boolean => /no space left|quota exceeded/i.test(String(rootCause(error)))
