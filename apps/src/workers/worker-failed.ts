/** A worker that could not start has already said why. */
export class WorkerFailed extends Error {
  readonly code: number

  constructor(code: number) {
    super('a worker could not start')
    this.code = code
  }
}
