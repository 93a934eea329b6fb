/** Required rather than imported, for the reason that fp-ts.cts gives. */
import t = require('io-ts')

export = t
