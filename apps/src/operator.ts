/** EX_USAGE of sysexits.h: the arguments are wrong. */
export const exitUsage = 64

/** EX_CONFIG of sysexits.h: tells a supervisor that restarting will not help. */
export const exitConfig = 78

/** A setting that turned out to be wrong when it was used. Its message is for the operator. */
export class SettingsError extends Error {}

/** Says why, and ends the process. */
export const exitWithMessage: (exitCode: number, why: string) => never = (exitCode, why) => {
  process.stderr.write(`${why}\n`)
  process.exit(exitCode)
}

/** As `giveUp`, but as a line of the log unless a person reads it. */
export const failStart: typeof exitWithMessage = (exitCode, why) => {
  const line = { level: 60, time: Date.now(), pid: process.pid, exitCode, msg: why }
  return exitWithMessage(exitCode, process.stderr.isTTY ? why : JSON.stringify(line))
}

/** Ends the process if there are arguments: without an error they would be ignored unnoticed. */
export const rejectArguments = ([first]: readonly string[]): void => {
  if (first === undefined) return
  const argument = JSON.stringify(hideCredentials(first))
  failStart(exitUsage, `${argument} is not understood: settings are environment variables, as in PORT=8080 npm start.`)
}

/**
 * Masks what may be a password before a text is shown. The text may be a URL of any scheme, a malformed one, one in the
 * wrong setting, or a sentence about one. An `@` after a `?` may belong to either side, so both are masked.
 */
export const hideCredentials = (text: string): string =>
  text
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*\?.*@.*$/is, '$1***')
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@')
    .replace(/(:\/\/[^?]*\?).*$/s, '$1***')
    .replace(/((?:pass|pwd|secret|token|key)[^=&\s]*=).*$/is, '$1***')
