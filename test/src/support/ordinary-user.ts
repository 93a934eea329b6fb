import { chown } from 'node:fs/promises'

const nobody = 65_534

/**
 * Runs the work as an ordinary user, because root may ignore file permissions. It runs in this process, because another user
 * may not be allowed to read the code. The user becomes the owner of the path first.
 */
export const asOrdinaryUser = async <A>(path: string, work: () => Promise<A>): Promise<A> => {
  if (process.geteuid?.() !== 0) return work()
  await chown(path, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
