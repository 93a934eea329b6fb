// required, as Node.js reads the source of a CommonJS module that is imported, to find its format and its exports
import fp = require('fp-ts/lib/function')

export const { pipe } = fp
