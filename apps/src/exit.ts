/** EX_USAGE of sysexits.h: the arguments are wrong. */
export const exitUsage = 64

/** EX_CONFIG of sysexits.h: a supervisor should not restart the process. */
export const exitConfig = 78

/** Returns a function that prints a message and ends the process. */
export const exitWith =
  (exitCode: number) =>
  (message: string): never => {
    process.stderr.write(`${message}\n`)
    process.exit(exitCode)
  }

/** Prints the message of a failed start: on a terminal as it is, otherwise as a JSON log line. */
export const reportFailure = (exitCode: number, message: string): void => {
  const line = { level: 60, time: Date.now(), pid: process.pid, exitCode, msg: message }
  process.stderr.write(`${process.stderr.isTTY ? message : JSON.stringify(line)}\n`)
}

export const failStart =
  (exitCode: number) =>
  (message: string): never => {
    reportFailure(exitCode, message)
    process.exit(exitCode)
  }
