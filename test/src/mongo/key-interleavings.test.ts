import type { Claim, KeyClaims } from '@snippets/adapters-mongo/snippets/key-claims.js'
import type { SnippetCommands } from '@snippets/adapters-mongo/snippets/snippet-commands.js'
import { runKeyedCreations } from '@snippets/adapters-mongo/snippets/snippet-creation.js'
import { makeSnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { createConditionalWrites } from '@snippets/adapters-mongo/snippets/snippet-store.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import type { RunJob } from '@snippets/remote-storage/job.js'
import { expect } from 'chai'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { BSON } from 'mongodb'
import { explore, type Step, type System } from '../support/mongo/interleavings.js'
import { anId, anyRevision, draft } from '../support/snippets.js'

/** The claim of the key, and the key of each row. */
type Stored = Readonly<{ claim?: Claim; rows: ReadonlyMap<bigint, string | undefined> }>

const key = 'k'
const creation = { draft: draft(), keyed: { key, fingerprint: 'f' } }

/** A replica set. A majority has confirmed the first state in `log`. */
class ReplicaSet {
  log: readonly Stored[]
  /** The largest id that was assigned. */
  lastId = 0n
  /** A state that a majority confirmed earlier. While it is set, majority reads return it. */
  older: Stored | undefined
  readonly #lost = new Set<Stored>()

  constructor(first: Stored) {
    this.log = [first]
  }

  at(index: 0 | -1): Stored {
    return this.log.at(index) ?? expect.fail('there is no such state')
  }

  /** Majority reads return the present state until `catchUp`. */
  lag(): void {
    this.older = this.at(0)
  }

  catchUp(): void {
    this.older = undefined
  }

  /** A majority confirms the newest state. */
  settle(): void {
    this.log = [this.at(-1)]
  }

  /** Loses all states that a majority has not confirmed. */
  elect(): void {
    for (const state of this.log.slice(1)) this.#lost.add(state)
    this.log = [this.at(0)]
  }

  /** Changes the newest state. Waits for a majority, as `w: majority` does even if nothing was changed. */
  async write<A>(step: Step, change: (stored: Stored) => readonly [Stored, A]): Promise<A> {
    const { after, result } = await step(() => this.#append(change))
    if (!(await step(() => this.#confirm(after)))) throw new Error('an election rolled the write back')
    return result
  }

  #append<A>(change: (stored: Stored) => readonly [Stored, A]) {
    const [after, result] = change(this.at(-1))
    if (after !== this.at(-1)) this.log = [...this.log, after]
    // the search compares the position at the time of the comparison
    return { after, result, toJSON: () => [result, this.#lost.has(after) ? 'lost' : this.#position(after)] }
  }

  #confirm(state: Stored): boolean {
    if (this.#lost.has(state)) return false
    this.log = this.log.slice(this.#position(state))
    return true
  }

  #position(state: Stored): number {
    return Math.max(0, this.log.indexOf(state))
  }
}

/** Makes the ports of one process. Each command is a step. */
const portsOn = (set: ReplicaSet, step: Step) => {
  const read = <A>(from: (stored: Stored) => A): Promise<A> => step(() => from(set.at(0)))
  const write = <A>(change: (stored: Stored) => readonly [Stored, A]): Promise<A> => set.write(step, change)
  const stateAt = (level: 'majority' | 'local') => (level === 'local' ? set.at(-1) : (set.older ?? set.at(0)))
  const claims: KeyClaims = {
    find: async (keys, level) => {
      if (keys.length === 0) return new Map()
      return step(() => {
        const { claim } = stateAt(level)
        return new Map(claim === undefined ? [] : [[key, right(claim)]])
      })
    },
    take: async (_, newClaims) => {
      const [claim] = newClaims
      if (claim === undefined) return new Map()
      const { id, created_at, fingerprint, replacedId } = claim
      const isTaken = await write(stored =>
        stored.claim?.id === replacedId
          ? [{ ...stored, claim: { id, created_at, fingerprint, deletionBegan: false } }, true]
          : [stored, false],
      )
      return new Map(isTaken ? [] : [[0, 'duplicate']])
    },
    markDeletion: (_, __, id) =>
      write(stored => [
        stored.claim?.id === id ? { ...stored, claim: { ...stored.claim, deletionBegan: true } } : stored,
        undefined,
      ]),
  }
  const commands: SnippetCommands = {
    insert: async (_, [document]) => {
      if (document === undefined) return new Map()
      const [id, { idempotency_key }] = [BigInt(String(document._id)), document]
      const isNew = await write(stored =>
        stored.rows.has(id)
          ? [stored, false]
          : [{ ...stored, rows: new Map([...stored.rows, [id, idempotency_key]]) }, true],
      )
      return new Map(isNew ? [] : [[0, 'duplicate']])
    },
    keysOf: async ([id], level) =>
      id === undefined ? new Map() : step(() => new Map([...stateAt(level).rows].filter(([other]) => other === id))),
    remove: (_, { _id, ...conditions }) =>
      write(stored => {
        const isKeyless = 'idempotency_key' in conditions
        expect(conditions).to.deep.equal(isKeyless ? { idempotency_key: { $exists: false } } : {})
        const isFound = ([id, key]: readonly [bigint, unknown]) => id === _id && !(isKeyless && key !== undefined)
        const rows = new Map([...stored.rows].filter(row => !isFound(row)))
        return rows.size === stored.rows.size ? [stored, false] : [{ ...stored, rows }, true]
      }),
    update: () => Promise.resolve(null),
    readNewest: id =>
      step(() => {
        const { rows } = set.at(-1)
        return rows.has(id) ? BSON.serialize(makeSnippetDocument(firstVersion(id, creation.draft), rows.get(id))) : null
      }),
  }
  const ids = {
    reserve: () => step(() => [anId(++set.lastId)]),
    catchUp: () =>
      step(() => {
        for (const id of set.at(-1).rows.keys()) if (id > set.lastId) set.lastId = id
      }),
  }
  return { claims, commands, ids, read }
}

const { signal } = new AbortController()
const withDeadline: RunJob = work =>
  work({ outcome: 'unapplied', signal }).catch(error => left(unavailable('unknown', error)))

type Parts = Readonly<{
  /** Ids of rows without the key. The counter is behind them. */
  foreign?: readonly bigint[]
  /** Whether the first creation may stop for ever. */
  mayStop?: boolean
  hasDelete?: boolean
  hasElection?: boolean
  /** Whether majority reads return an older state for a while. */
  hasStaleReads?: boolean
}>

describe('Creations with one idempotency key', () => {
  /** Returns two creations, and a delete of their snippet. */
  const systemWith = (parts: Parts) => (): System => {
    const { foreign = [], mayStop = false, hasDelete = true, hasElection = true, hasStaleReads = false } = parts
    const set = new ReplicaSet({ rows: new Map(foreign.map(id => [id, undefined])) })
    const idsIn = ({ rows }: Stored) => [...rows].flatMap(([id, other]) => (other === key ? [anId(id)] : []))
    const acknowledged: bigint[] = []
    let deleted: bigint | undefined
    let [isDoubled, isMissed] = [false, false]

    const creating = async (step: Step): Promise<void> => {
      const wasAcknowledged = await step(() => acknowledged.length > 0)
      const dependencies = { withDeadline, ...portsOn(set, step) }
      const [created] = await runKeyedCreations(dependencies, [creation])
      if (created === undefined || !isRight(created)) return
      const { item, isReplay } = created.right
      acknowledged.push(item.id)
      isDoubled ||= wasAcknowledged && !isReplay
    }
    const deleting = async (step: Step): Promise<void> => {
      const { commands, claims, read } = portsOn(set, step)
      const { remove } = createConditionalWrites(commands, claims)
      const [id] = await read(idsIn)
      if (id === undefined) return
      deleted = id
      const result = await withDeadline(job => remove(job, { id, expected: anyRevision }))
      // no step follows the last read of the delete, so the state is the one that it saw
      isMissed ||= isLeft(result) && result.left._tag === 'NotFound' && set.at(-1).rows.has(id)
    }
    const electing = (step: Step) => step(() => set.elect())
    const lagging = async (step: Step): Promise<void> => {
      await step(() => set.lag())
      await step(() => set.catchUp())
    }
    return {
      actors: [
        { run: creating, mayStop },
        { run: creating, mayStop: false },
        ...(hasDelete ? [{ run: deleting, mayStop: false }] : []),
        ...(hasElection ? [{ run: electing, mayStop: true }] : []),
        ...(hasStaleReads ? [{ run: lagging, mayStop: false }] : []),
      ],
      state: () => [set.log, set.older, set.lastId, acknowledged, deleted],
      check: async () => {
        const stored = () => idsIn(set.at(-1))
        if (acknowledged.length > 0 && deleted === undefined) expect(stored(), 'lost').to.deep.equal([acknowledged[0]])
        set.settle()
        await creating(async command => command())
        const ids = new Set([...acknowledged, ...stored(), ...(deleted === undefined ? [] : [deleted])])
        expect(ids, 'doubled or foreign').to.have.property('size', 1)
        expect(acknowledged, 'the last retry fails').to.not.be.empty
        expect(isDoubled, 'stored again').to.equal(false)
        expect(isMissed, 'not found by its delete').to.equal(false)
      },
    }
  }

  const systems: Readonly<Record<string, Parts>> = {
    'one stops for ever, the primary changes and the snippet is deleted': { mayStop: true },
    'the counter is behind and the primary changes': { foreign: [1n, 2n], hasDelete: false },
    'the counter is behind and the snippet is deleted': { foreign: [1n, 2n], hasElection: false },
    'reads are stale and the snippet is deleted': { hasStaleReads: true, hasElection: false },
  }

  for (const [name, parts] of Object.entries(systems))
    it(`store one snippet and lose none, in every order of their commands, when ${name}`, async function () {
      this.timeout(60_000)
      expect(await explore(systemWith(parts))).to.be.above(1000)
    })
})
