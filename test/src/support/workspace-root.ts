import { fileURLToPath } from 'node:url'

/** The workspace folder, relative to this file once compiled. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))
