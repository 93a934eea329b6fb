import { fileURLToPath } from 'node:url'

/** The folder of the workspace, from the compiled place of this file. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))
