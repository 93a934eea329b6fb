/** EX_USAGE of sysexits.h: the arguments are wrong. */
export const exitUsage = 64

/** EX_CONFIG of sysexits.h: a supervisor should not restart the process. */
export const exitConfig = 78

export const exitWithMessage: (exitCode: number, message: string) => never = (exitCode, message) => {
  process.stderr.write(`${message}\n`)
  process.exit(exitCode)
}

/** Prints a message, as a JSON log line unless stderr is a terminal, and ends the process. */
export const failStart: typeof exitWithMessage = (exitCode, message) => {
  const line = { level: 60, time: Date.now(), pid: process.pid, exitCode, msg: message }
  return exitWithMessage(exitCode, process.stderr.isTTY ? message : JSON.stringify(line))
}

/** Ends the process if there are arguments, because ignoring them would hide a mistake. */
export const rejectArguments = ([first]: readonly string[]): void => {
  if (first === undefined) return
  const argument = JSON.stringify(hideCredentials(first))
  failStart(exitUsage, `${argument} is not understood: settings are environment variables, as in PORT=8080 npm start.`)
}

/**
 * Masks possible passwords and tokens in a text for the operator. The text may be a URL of any scheme, a malformed URL, or a
 * sentence with a URL. A path with an `@` is not masked.
 */
export const hideCredentials = (text: string): string =>
  (/:\/\/|:\S*@/.test(text) ? hideUserinfoAndQuery(text) : text)
    .replace(/(?<![^\s;&?])([\w-]*(?:pass|pwd|secret|token|key)[\w-]*=).*$/is, '$1***')
    .replace(/snippets_[\w-]{40,}/g, 'snippets_***')

/** An `@` after a `?` may belong to the userinfo or to the query, so both are masked. */
const hideUserinfoAndQuery = (text: string): string =>
  text
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*\?.*@.*$/is, '$1***')
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@')
    .replace(/(:\/\/[^?]*\?).*$/s, '$1***')
