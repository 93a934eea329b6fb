import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'

/** Sends a task to a child process and waits for its reply. Rejects when the child ends instead. */
export const replyTo = async <Reply>(child: ChildProcess, task: Serializable): Promise<Reply> => {
  const settled = new AbortController()
  const { signal } = settled
  child.send(task)
  try {
    const ended = once(child, 'disconnect', { signal }).then(() => {
      throw new Error('the process ended without a reply')
    })
    const [reply] = await Promise.race([once(child, 'message', { signal }), ended])
    return reply
  } finally {
    settled.abort()
  }
}
