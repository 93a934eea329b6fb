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

/** Tells whether a port of 127.0.0.1 has no listener. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Returns a port without a listener. */
export const closedPort = async (): Promise<number> => {
  const server = createServer()
  const port = await listenOnFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}
