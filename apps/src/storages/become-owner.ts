import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * As root, switches to the owner of the directory for the rest of the process, because the owner could plant links to
 * files of root. A new directory gets the owner of its parent. Returns the path to open: after a switch a relative one,
 * because only root can use absolute paths below `/var/lib/private`.
 */
export const becomeOwner = (directory: string): string => {
  if (process.geteuid?.() !== 0) return directory
  const before = process.cwd()
  const folder = existsSync(directory) ? directory : dirname(directory)
  if (!existsSync(folder)) throw new Error('its parent does not exist')
  // a check of the path would not suffice: its owner could replace it afterwards
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
