import { writeSync } from 'node:fs'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { anId, changes, draft, must } from '../support/snippets.js'

/**
 * A process that writes to the database in its argument, and prints each write once that is acknowledged: `created` with
 * the id and the title, `counted` for 1 added to the number in the code of snippet 1. Ends with its standard input.
 */
const [, , url = '', name = ''] = process.argv
const storage = openMongoStorage({ url, users: [], log: { info: () => {}, warn: () => {} } })
let isOver = false
let serial = 0

const acknowledge = (line: string): void => {
  writeSync(1, `${line}\n`)
}

const create = async (): Promise<void> => {
  while (!isOver) {
    const title = `${name} ${serial++}`
    const answer = await storage.snippets.create(draft({ title }))()
    if (isRight(answer)) acknowledge(`created ${answer.right.id} ${title}`)
  }
}

const count = async (): Promise<void> => {
  while (!isOver) {
    const counter = await storage.snippets.get(anId(1n))()
    if (isLeft(counter)) continue
    const next = changes({ code: String(Number(counter.right.code) + 1) })
    const answer = await storage.snippets.update(counter.right.id, next, some([counter.right]))()
    if (isRight(answer)) acknowledge('counted')
    else if (answer.left._tag !== 'Stale') must(answer)
  }
}

process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()
await Promise.all([create(), create(), create(), count()])
await storage.close()
