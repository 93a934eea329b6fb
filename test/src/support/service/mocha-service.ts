import { type InProcessService, type ServiceOptions, startInProcess } from './in-process.js'

/** Runs one service for all tests of a describe block. Its properties are available from the `before` hooks on. */
export const sharedService = (options: ServiceOptions = {}): Pick<InProcessService, 'url' | 'client' | 'log'> => {
  let running: InProcessService | undefined
  before(async () => {
    running = await startInProcess(options)
  })
  after(() => running?.stop())
  const service = (): InProcessService => {
    if (running === undefined) throw new Error('the service has not started yet')
    return running
  }
  return {
    get url() {
      return service().url
    },
    get client() {
      return service().client
    },
    get log() {
      return service().log
    },
  }
}

/** Starts services for single tests of a describe block, and stops them after each test. */
export const servicePerTest = (): typeof startInProcess => {
  let running: InProcessService[] = []
  afterEach(async () => {
    const services = running
    running = []
    await Promise.all(services.map(({ stop }) => stop()))
  })
  return async options => {
    const service = await startInProcess(options)
    running.push(service)
    return service
  }
}
