import { onConnection } from '@snippets/application/remote-storage/on-connection.js'
import { Operation } from '@snippets/application/remote-storage/operation.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { tryCatch } from 'fp-ts/lib/TaskEither.js'

describe('onConnection', () => {
  const run = async (work: (operation: Operation) => Promise<unknown>, operation = new Operation()) => {
    const calls: string[] = []
    const pool = {
      acquire: async () => 'connection',
      release: () => calls.push('release'),
      discard: (_: string, cause: unknown) => calls.push(`discard: ${cause}`),
    }
    const result = await tryCatch(() => onConnection(pool, operation, () => work(operation)), String)()
    if (!operation.isOver) operation.end()
    return [isRight(result), ...calls]
  }

  it('releases the connection when the work is done', async () => {
    expect(await run(async () => {})).to.deep.equal([true, 'release'])
  })

  it('discards the connection, with the cause, when the work fails', async () => {
    expect(await run(() => Promise.reject(new Error('planted')))).to.deep.equal([false, 'discard: Error: planted'])
  })

  it('discards the connection once when the operation ends during the work', async () => {
    expect(await run(async operation => operation.end())).to.deep.equal([
      true,
      'discard: Error: not sent: the operation is over',
    ])
  })

  it('releases the connection unused when the operation has ended before', async () => {
    const operation = new Operation()
    operation.end()
    const work = async () => expect.fail('the work began')
    expect(await run(work, operation)).to.deep.equal([false, 'release'])
  })
})
