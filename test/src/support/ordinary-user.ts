import { chown } from 'node:fs/promises'

const nobody = 65_534

/**
 * Runs the work as a user whom the permissions of files bind, as they do not bind root. In this process, because such a
 * user may not be allowed to read the code of another. The path is given to that user first.
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
