import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Makes the server listen on a free port of 127.0.0.1, and returns the port. */
export const listenOnFreePort = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Returns a port without a listener. */
export const closedPort = async (): Promise<number> => {
  const server = createServer()
  const port = await listenOnFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}
