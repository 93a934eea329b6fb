import { wrongUse } from '../operator/exit-codes.js'
import { hideCredentials } from '../operator/hide-credentials.js'

/** Whoever passes one expects an effect. */
export const refuseArguments = ([first]: readonly string[]): void => {
  if (first === undefined) return
  process.stderr.write(
    `${JSON.stringify(hideCredentials(first))} is not understood: settings are environment variables, as in PORT=8080 npm start.\n`,
  )
  process.exit(wrongUse)
}
