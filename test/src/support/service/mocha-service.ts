import { type InProcessService, type ServiceOptions, startInProcess } from './in-process.js'

/** Runs one service for all tests of a describe block. Its properties are available from the `before` hooks on. */
export const sharedService = (
  options: ServiceOptions = {},
): Pick<InProcessService, 'url' | 'client' | 'log' | 'bodyBytes'> => {
  const service = {} as InProcessService
  before(async () => void Object.assign(service, await startInProcess(options)))
  after(() => service.stop?.())
  return service
}

/** Returns `start` for single tests of a describe block. Stops the services after each test. */
export const stoppedAfterEach = <A, S extends Readonly<{ stop: () => Promise<unknown> }>>(
  start: (options?: A) => Promise<S>,
) => {
  const running: S[] = []
  afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())))
  return async (options?: A): Promise<S> => {
    const service = await start(options)
    running.push(service)
    return service
  }
}

export const servicePerTest = () => stoppedAfterEach(startInProcess)
