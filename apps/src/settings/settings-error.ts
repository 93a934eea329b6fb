/** EX_CONFIG of sysexits.h: tells a supervisor that restarting will not help. */
export const wrongSettings = 78

/** A setting that turned out to be wrong when it was used. Its message is for the operator. */
export class SettingsError extends Error {}
