import { errorCode } from '../error-code.js'

const maxCauses = 5

/**
 * What a log line says of an error. Other properties are left out: body parsers and database drivers put the body and whole
 * rows there.
 */
export const errorFields = (error: unknown, depth = 0): unknown => {
  try {
    return error instanceof Error ? fieldsOf(error, depth) : { type: typeof error }
  } catch {
    // a getter of it throws
    return { type: 'unreadable' }
  }
}

const fieldsOf = (error: Error, depth: number): unknown => {
  const { name, message, stack, cause } = error
  const code = errorCode(error)
  const deeper = cause !== undefined && depth < maxCauses ? { cause: errorFields(cause, depth + 1) } : {}
  return {
    type: textOf(name),
    message: textOf(message),
    ...(code !== undefined && { code: typeof code === 'number' ? code : textOf(code) }),
    ...(stack !== undefined && { stack: textOf(stack) }),
    ...deeper,
  }
}

/** Whoever threw it may have put anything there, also what neither JSON nor a text can hold. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value)
