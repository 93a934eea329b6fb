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
export const rejectArguments = (args: readonly string[]): void => {
  if (args.length > 0)
    failStart(exitUsage, 'Arguments are not understood: settings are environment variables, as in PORT=8080 npm start.')
}
