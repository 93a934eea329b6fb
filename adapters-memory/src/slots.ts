import type { Snippet } from '@snippets/domain/snippet.js'

/** A number for every slot. */
export type Column = { values: Float64Array }

/** One that nothing needs so far. */
export const noColumn = (): Column => ({ values: new Float64Array() })

/**
 * Snippets in numbered slots, and the numbers that indexes compare in columns beside them: among a million snippets,
 * reading memory is what a comparison costs. A slot that is given back is taken again before a new one.
 */
export class Slots {
  readonly #snippets: (Snippet | undefined)[] = []
  readonly #columns: Column[] = []
  /** The slots that were given back, the last one at the end. */
  readonly #free: number[] = []

  addColumn(): Column {
    const column = { values: new Float64Array(64) }
    this.#columns.push(column)
    return column
  }

  /** Begins a column, with this of every snippet. All columns have the same length. */
  begin(column: Column, numberOf: (snippet: Snippet) => number): void {
    column.values = new Float64Array(this.#columns[0]?.values.length ?? 0)
    for (const [slot, snippet] of this.#snippets.entries())
      if (snippet !== undefined) column.values[slot] = numberOf(snippet)
    this.#columns.push(column)
  }

  /** With those that were given back. */
  get length(): number {
    return this.#snippets.length
  }

  take(snippet: Snippet): number {
    const slot = this.#free.pop() ?? this.#snippets.length
    if (slot === this.#snippets.length) this.#makeRoom(slot)
    this.#snippets[slot] = snippet
    return slot
  }

  give(slot: number): void {
    this.#snippets[slot] = undefined
    this.#free.push(slot)
  }

  at(slot: number): Snippet {
    // indexes hold only slots that are taken
    return this.#snippets[slot] as Snippet
  }

  set(slot: number, snippet: Snippet): void {
    this.#snippets[slot] = snippet
  }

  #makeRoom(slot: number): void {
    for (const column of this.#columns) {
      if (slot < column.values.length) return
      const longer = new Float64Array(2 * column.values.length)
      longer.set(column.values)
      column.values = longer
    }
  }
}
