import type { Environment } from './settings/environment.js'

/** npm puts a shell between itself and its script, and some shells end on a signal without passing it on. */
export const onNpmExit = ({ npm_lifecycle_event: npmScript }: Environment, tell: () => void): void => {
  if (npmScript === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    tell()
  }, 500)
}
