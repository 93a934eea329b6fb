const nothing = (): void => {}

export const silentLog = { debug: nothing, info: nothing, warn: nothing, error: nothing }
