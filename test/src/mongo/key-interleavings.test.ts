import { conditionalDelete } from '@snippets/adapters-mongo/snippets/conditional-writes.js'
import type { Claim, KeyClaims } from '@snippets/adapters-mongo/snippets/key-claims.js'
import { createOnceBatch } from '@snippets/adapters-mongo/snippets/snippet-creation.js'
import type { SnippetRows } from '@snippets/adapters-mongo/snippets/snippet-rows.js'
import { Operation, type WithDeadline } from '@snippets/application/remote-storage/operation.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import { AssertionError, expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { type Actor, explore, type System } from '../support/mongo/interleavings.js'
import { anId, draft } from '../support/snippets.js'

/** The claim of the key, and the key of each row. */
type Stored = Readonly<{ claim?: Claim; rows: ReadonlyMap<bigint, string | undefined> }>

const key = 'k'
const creation = { draft: draft(), idempotencyKey: { key, fingerprint: 'f' } }

type Step = Parameters<Actor['run']>[0]
type See = Parameters<Actor['run']>[1]
type Forget = Parameters<Actor['run']>[2]

/** A replica set. A majority has confirmed the first state in `log`. */
class ReplicaSet {
  log: readonly Stored[]
  /** The largest id that was assigned. */
  lastId = 0n
  readonly #lost = new Set<Stored>()

  constructor(first: Stored) {
    this.log = [first]
  }

  at(index: 0 | -1): Stored {
    return this.log.at(index) ?? expect.fail('there is no such state')
  }

  /** Loses all states that a majority has not confirmed. */
  elect(): void {
    for (const state of this.log.slice(1)) this.#lost.add(state)
    this.log = [this.at(0)]
  }

  /** Changes the newest state. Waits for a majority, as `w: majority` does even if nothing was changed. */
  async write<A>(step: Step, see: See, change: (stored: Stored) => readonly [Stored, A]): Promise<A> {
    await step()
    const [after, result] = change(this.at(-1))
    if (after !== this.at(-1)) this.log = [...this.log, after]
    const position = () => Math.max(0, this.log.indexOf(after))
    see(result)
    see({ toJSON: () => (this.#lost.has(after) ? 'lost' : position()) })
    await step()
    if (this.#lost.has(after)) throw new Error('an election rolled the write back')
    this.log = this.log.slice(position())
    return result
  }
}

type Faults = Readonly<{
  /** Reads see states that a majority has not confirmed. */
  localReads?: boolean
  /** A creation reads its claim once. */
  oneLook?: boolean
}>

/** Makes the ports of one process. Each command waits for its turn. */
const portsOn = (set: ReplicaSet, step: Step, see: See, forget: Forget, faults: Faults) => {
  const read = async <A>(from: (stored: Stored) => A): Promise<A> => {
    await step()
    return see(from(set.at(faults.localReads ? -1 : 0)))
  }
  const write = <A>(change: (stored: Stored) => readonly [Stored, A]): Promise<A> =>
    set.write(step, see, change).catch(error => {
      see('lost')
      throw error
    })
  let looks = 0
  let look: ReturnType<KeyClaims['find']> | undefined
  const claims: KeyClaims = {
    find: async keys => {
      // each round looks twice, and begins without knowledge of the round before
      if (looks++ % 2 === 0) forget(looks)
      if (keys.length === 0) return new Map()
      const found = look ?? read(({ claim }) => new Map(claim === undefined ? [] : [[key, claim]]))
      look = faults.oneLook && look === undefined ? found : undefined
      return found
    },
    take: async newClaims => {
      const [claim] = newClaims
      if (claim === undefined) return []
      const { id, created_at, fingerprint, replaced } = claim
      return write(stored =>
        stored.claim?.id === replaced
          ? [{ ...stored, claim: { id, created_at, fingerprint, isDeleted: false } }, newClaims]
          : [stored, []],
      )
    },
    markDeleted: (_, id) =>
      write(stored => [
        stored.claim?.id === id ? { ...stored, claim: { ...stored.claim, isDeleted: true } } : stored,
        undefined,
      ]),
  }
  const rows: Pick<SnippetRows, 'insert' | 'keysOf' | 'remove' | 'newest'> = {
    insert: async (_, [document], onResult) => {
      if (document === undefined) return
      const { _id: id, idempotency_key } = document
      const isNew = await write(stored =>
        stored.rows.has(id)
          ? [stored, false]
          : [{ ...stored, rows: new Map([...stored.rows, [id, idempotency_key]]) }, true],
      )
      onResult(0, isNew ? 'stored' : 'duplicate')
    },
    keysOf: ([id]) => (id === undefined ? Promise.resolve(new Map()) : read(({ rows }) => rowOf(rows, id))),
    remove: (_, { _id, idempotency_key }) =>
      write(stored => {
        const isFound = ([id, key]: readonly [bigint, unknown]) => id === _id && (!idempotency_key || key === undefined)
        const rows = new Map([...stored.rows].filter(row => !isFound(row)))
        return rows.size === stored.rows.size ? [stored, false] : [{ ...stored, rows }, true]
      }),
    newest: () => Promise.resolve(null),
  }
  const ids = {
    reserve: async () => [anId(++set.lastId)],
    catchUp: async () => {
      await step()
      for (const id of set.at(-1).rows.keys()) if (id > set.lastId) set.lastId = id
      see(set.lastId)
    },
  }
  return { claims, rows, ids, read }
}

const rowOf = (rows: Stored['rows'], id: bigint) => new Map([...rows].filter(([other]) => other === id))

const withDeadline: WithDeadline = work => work(new Operation()).catch(error => left(unavailable('unknown', error)))

type Parts = Readonly<{
  foreign?: readonly bigint[]
  hasDelete?: boolean
  hasElection?: boolean
  faults?: Faults
}>

describe('Creations with one idempotency key', () => {
  /** Returns two creations, and a delete of their snippet. With `foreign` rows, the counter is behind the collection. */
  const systemWith = (parts: Parts) => (): System => {
    const { foreign = [], hasDelete = true, hasElection = true, faults = {} } = parts
    const set = new ReplicaSet({ rows: new Map(foreign.map(id => [id, undefined])) })
    const stored = () => [...set.at(-1).rows].flatMap(([id, other]) => (other === key ? [id] : []))
    const acknowledged: bigint[] = []
    let deleted: bigint | undefined
    let isDoubled = false

    const creating: Actor['run'] = async (step, see, forget) => {
      let wasAcknowledged: boolean | undefined
      const firstStep = async (): Promise<void> => {
        await step()
        wasAcknowledged ??= see(acknowledged.length > 0)
      }
      const [created] = await createOnceBatch({
        withDeadline,
        ...portsOn(set, firstStep, see, looks => forget(looks, wasAcknowledged), faults),
      })([creation])
      if (created === undefined || !isRight(created)) return
      const { item, isReplay } = created.right
      acknowledged.push(item.id)
      isDoubled ||= wasAcknowledged === true && !isReplay
    }
    const deleting: Actor['run'] = async (step, see, forget) => {
      const ports = portsOn(set, step, see, forget, faults)
      const [id] = await ports.read(({ rows }) => [...rows].flatMap(([id, other]) => (other === key ? [anId(id)] : [])))
      if (id === undefined) return
      deleted = id
      await withDeadline(operation => conditionalDelete(ports)(operation, { id, expected: anyRevision }))
    }
    return {
      actors: [
        { kind: 'creation', run: creating },
        { kind: 'creation', run: creating },
        ...(hasDelete ? [{ kind: 'delete', run: deleting }] : []),
      ],
      events: hasElection ? { election: () => set.elect() } : {},
      state: () => [set.log, set.lastId, acknowledged, String(deleted)],
      check: async () => {
        if (acknowledged.length > 0 && deleted === undefined) expect(stored(), 'lost').to.deep.equal([acknowledged[0]])
        await creating(
          async () => {},
          result => result,
          () => {},
        )
        const ids = new Set([...acknowledged, ...stored(), ...(deleted === undefined ? [] : [deleted])])
        expect(ids, 'doubled or foreign').to.have.property('size', 1)
        expect(acknowledged, 'the last retry fails').to.not.be.empty
        expect(isDoubled, 'stored again').to.equal(false)
      },
    }
  }

  const systems: Readonly<Record<string, Parts & Readonly<{ stoppable?: string }>>> = {
    'one stops for ever, the primary changes and the snippet is deleted': { stoppable: 'creation' },
    'the counter is behind and the primary changes': { foreign: [1n, 2n], hasDelete: false },
    'the counter is behind and the snippet is deleted': { foreign: [1n, 2n], hasElection: false },
  }

  for (const [name, { stoppable = '', ...parts }] of Object.entries(systems))
    it(`store one snippet and lose none, in every order of their commands, when ${name}`, async function () {
      this.timeout(60_000)
      expect(await explore(systemWith(parts), stoppable)).to.be.above(1000)
    })

  const faulty: Readonly<Record<string, Faults>> = {
    'reads see what an election can roll back': { localReads: true },
    'a claim is not read again': { oneLook: true },
  }

  for (const [name, faults] of Object.entries(faulty))
    it(`lose or repeat a snippet in some order when ${name}`, async function () {
      this.timeout(60_000)
      const failure = await explore(systemWith({ faults }), '').catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(AssertionError)
    })
})
