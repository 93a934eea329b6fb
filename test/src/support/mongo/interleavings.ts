/**
 * An actor whose steps the search orders. `step` waits for a turn. `see` records a result that the actor learns.
 * `forget` replaces all records by the results that still have an effect.
 */
export type Actor = Readonly<{
  /** Actors of the same kind are interchangeable. */
  kind: string
  run: (
    step: () => Promise<void>,
    see: <A>(result: A) => A,
    forget: (...remembered: readonly unknown[]) => void,
  ) => Promise<void>
}>

/** Actors on a shared state. */
export type System = Readonly<{
  actors: readonly Actor[]
  /** Events that occur once, or never, between steps. */
  events: Readonly<Record<string, () => void>>
  /** Returns the state. The state and the records of all actors determine the possible next steps. */
  state: () => unknown
  /** Checks the state at the end of an order of steps. */
  check: () => Promise<void>
}>

type Choice = { index: number; count: number }

/**
 * Runs the actors in every order of their steps and of the events, and returns the number of different states. Actors
 * of the kind `stoppable` may also stop for ever: one of them in each order.
 */
export const explore = async (create: () => System, stoppable: string): Promise<number> => {
  const seen = new Set<string>()
  const path: Choice[] = []
  do {
    await follow(path, create(), stoppable, seen)
    // continue with the next choice at the last step that has one
    for (let last = path.at(-1); last !== undefined && ++last.index === last.count; last = path.at(-1)) path.pop()
  } while (path.length > 0)
  return seen.size
}

/** Runs a system along a path of choices, and extends the path to the end or to a state that was seen before. */
const follow = async (path: Choice[], system: System, stoppable: string, seen: Set<string>): Promise<void> => {
  const known = path.length
  const { actors, state, check } = system
  const events = new Map(Object.entries(system.events))
  let mayStop = true
  const running = actors.map(({ kind, run }) => {
    const one: { kind: string; seen: unknown[]; resume?: () => void } = { kind, seen: [] }
    const step = () =>
      new Promise<void>(resolve => {
        one.seen.push('waits')
        one.resume = resolve
      })
    const see = <A>(result: A): A => {
      one.seen.push(result)
      return result
    }
    // an error of an actor fails the test as an unhandled rejection
    void run(step, see, (...remembered) => one.seen.splice(0, Number.POSITIVE_INFINITY, ...remembered))
    return one
  })
  for (let depth = 0; ; depth++) {
    // runs when the queue of microtasks is empty, so when each actor waits or has ended
    await new Promise<void>(resolve => process.nextTick(resolve))
    const choices = [
      ...running.flatMap(one => {
        const { resume, kind } = one
        if (resume === undefined) return []
        const take = (next: () => void) => () => {
          delete one.resume
          next()
        }
        const stop = (): void => {
          mayStop = false
          one.seen.push('stopped')
        }
        return [take(resume), ...(mayStop && kind === stoppable ? [take(stop)] : [])]
      }),
      ...[...events].map(([name, occur]) => () => {
        events.delete(name)
        occur()
      }),
    ]
    if (running.every(({ resume }) => resume === undefined)) return check()
    if (depth >= known) {
      const found = text([state(), running.map(one => text(Object.values(one))).sort(), [...events.keys()]])
      if (seen.has(found)) return
      seen.add(found)
      path.push({ index: 0, count: choices.length })
    }
    choices[path[depth]?.index ?? 0]?.()
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`
    if (typeof part === 'function') return 'waits'
    return part instanceof Map ? [...part] : part
  })
