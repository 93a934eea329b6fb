import { closedPort } from '../free-port.js'
import type { composedServices } from './composed-service.js'

/** Returns the names of all metrics on each storage, without the default metrics of Node.js. */
export const metricNames = async (
  start: ReturnType<typeof composedServices>,
  directory: string,
): Promise<readonly string[]> => {
  // a service starts while its database is down
  const mongo = { STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${await closedPort()}/` }
  const names = new Set<string>()
  for (const storage of [{ DATA_DIR: directory }, mongo]) {
    const { adminUrl } = await start({ ADMIN_PORT: '0', ...storage })
    const page = await (await fetch(`${adminUrl}/metrics`)).text()
    for (const [, name = ''] of page.matchAll(/^# TYPE (\w+)/gm)) names.add(name)
  }
  return [...names].filter(name => !/^(?:process|nodejs)_/.test(name))
}
