// required, as Node.js reads the source of a CommonJS module that is imported, to find its format and its exports
import t = require('io-ts')

export { t }
