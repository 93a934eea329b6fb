/** EX_USAGE of sysexits.h: the arguments are wrong. */
export const wrongUse = 64

/** EX_CONFIG of sysexits.h: tells a supervisor that restarting will not help. */
export const wrongSettings = 78
