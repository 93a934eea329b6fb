/** A setting that turned out to be wrong when it was used. Its message is for the operator. */
export class SettingsError extends Error {}
