import { createRequire } from 'node:module'

/** The version of the service, from the manifest of this package. */
export const { version }: Readonly<{ version: string }> = createRequire(import.meta.url)('../package.json')
