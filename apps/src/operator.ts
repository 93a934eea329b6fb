/** EX_USAGE of sysexits.h: the arguments are wrong. */
export const wrongUse = 64

/** EX_CONFIG of sysexits.h: tells a supervisor that restarting will not help. */
export const wrongSettings = 78

/** A setting that turned out to be wrong when it was used. Its message is for the operator. */
export class SettingsError extends Error {}

/** Says why, and ends the process. */
export const giveUp: (exitCode: number, why: string) => never = (exitCode, why) => {
  process.stderr.write(`${why}\n`)
  process.exit(exitCode)
}

/** Whoever passes one expects an effect. */
export const refuseArguments = ([first]: readonly string[]): void => {
  if (first === undefined) return
  const argument = JSON.stringify(hideCredentials(first))
  giveUp(wrongUse, `${argument} is not understood: settings are environment variables, as in PORT=8080 npm start.`)
}

/** Masks user and password before a text is shown: a URL may be malformed or in the wrong setting. */
export const hideCredentials = (text: string): string =>
  text.replace(/^(mongodb(?:\+srv)?:\/\/)?.*@/is, '$1***@').replace(/^(mongodb[^?]*\?).*$/is, '$1***')
