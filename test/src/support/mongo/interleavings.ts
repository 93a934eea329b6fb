/** Waits for a turn, runs the command, and returns its result. */
export type Step = <A>(command: () => A) => Promise<A>

/** An actor that reads and changes the shared state only in steps. It may stop for ever before a step if `mayStop`. */
type Actor = Readonly<{ run: (step: Step) => Promise<void>; mayStop: boolean }>

/** Actors on a shared state. */
export type System = Readonly<{
  actors: readonly Actor[]
  /** Returns the state. The state and the results of all steps determine the possible next steps. */
  state: () => unknown
  /** Checks the state at the end of an order of steps. */
  check: () => Promise<void>
}>

/** Runs the actors in every order of their steps, and returns the number of different states. */
export const explore = async (create: () => System): Promise<number> => {
  const seen = new Set<string>()
  const visit = async (path: readonly number[]): Promise<void> => {
    const system = create()
    const running = await follow(system, path)
    const { actors, state } = system
    const kindOf = ({ run, mayStop }: Actor) => actors.findIndex(one => one.run === run && one.mayStop === mayStop)
    // actors of one kind are interchangeable
    const found = text([state(), running.map(({ actor, results }) => text([kindOf(actor), results])).sort()])
    if (seen.has(found)) return
    seen.add(found)
    if (running.every(({ next, actor }) => next === undefined || actor.mayStop)) await system.check()
    for (const [i, { next }] of running.entries()) if (next !== undefined) await visit([...path, i])
  }
  await visit([])
  return seen.size
}

/** An actor, the results of its steps, and its next step. */
type Running = { readonly actor: Actor; readonly results: unknown[]; next?: (() => void) | undefined }

/** Runs one step of each actor in the path. */
const follow = async ({ actors }: System, path: readonly number[]): Promise<readonly Running[]> => {
  const running = actors.map(actor => {
    const one: Running = { actor, results: [] }
    const step: Step = command =>
      new Promise(resolve => {
        one.next = () => {
          one.next = undefined
          const result = command()
          one.results.push(result)
          resolve(result)
        }
      })
    // an error of an actor fails the test as an unhandled rejection
    void actor.run(step)
    return one
  })
  for (const i of path) {
    running[i]?.next?.()
    // resolves when the queue of microtasks is empty, so when each actor waits or has ended
    await new Promise<void>(resolve => process.nextTick(resolve))
  }
  return running
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`
    return part instanceof Map ? [...part] : part
  })
