import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** A new directory gets the owner of its parent. */
const owned = (directory: string): string => (existsSync(directory) ? directory : dirname(directory))

/**
 * As root, becomes the owner of the directory for the rest of the process: links that the owner has put there lead root
 * to other files. Returns the path to open, which is relative, because below `/var/lib/private` only root can use
 * absolute paths.
 */
export const becomeOwner = (directory: string): string => {
  if (process.geteuid?.() !== 0) return directory
  const [before, folder] = [process.cwd(), owned(directory)]
  // a check of the path itself would not hold: its owner could replace it
  process.chdir(folder)
  const { uid, gid } = statSync('.')
  if (uid === 0) {
    process.chdir(before)
    return directory
  }
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
  return folder === directory ? '.' : basename(directory)
}

/** Tells whether root would have to become two users. */
export const needTwoOwners = (directories: readonly string[]): boolean =>
  process.geteuid?.() === 0 && new Set(directories.map(directory => statSync(owned(directory)).uid)).size > 1
