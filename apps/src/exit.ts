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

/** Does the same as `exitWith`, but the message is a JSON log line unless stderr is a terminal. */
export const failStart =
  (exitCode: number) =>
  (message: string): never => {
    const line = { level: 60, time: Date.now(), pid: process.pid, exitCode, msg: message }
    return exitWith(exitCode)(process.stderr.isTTY ? message : JSON.stringify(line))
  }
