import { functions } from './fp-ts.cjs'

export const { pipe } = functions
