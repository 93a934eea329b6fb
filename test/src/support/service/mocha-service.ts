import { type Service, type ServiceOptions, startService } from './in-process.js'

/** Runs one service for all tests of a describe block. Its properties are available from the `before` hooks on. */
export const sharedService = (options: ServiceOptions = {}): Pick<Service, 'url' | 'client' | 'log'> => {
  let running: Service | undefined
  before(async () => {
    running = await startService(options)
  })
  after(() => running?.stop())
  const service = (): Service => {
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
export const servicePerTest = (): typeof startService => {
  let running: Service[] = []
  afterEach(async () => {
    const services = running
    running = []
    await Promise.all(services.map(({ stop }) => stop()))
  })
  return async options => {
    const service = await startService(options)
    running.push(service)
    return service
  }
}
