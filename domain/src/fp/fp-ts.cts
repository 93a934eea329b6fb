/**
 * fp-ts is CommonJS. Where an ES module imports a CommonJS one, Node.js reads its source text to find out what it exports; for these
 * modules and io-ts that took an eighth of the start. `require` does without, so the modules beside this one take from here what is used.
 */
import either = require('fp-ts/lib/Either')
import functions = require('fp-ts/lib/function')
import option = require('fp-ts/lib/Option')

export = { either, functions, option }
