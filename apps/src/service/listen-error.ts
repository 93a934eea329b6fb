import { codeOf } from '@snippets/domain/values/error.js'

export type Address = Readonly<{ host: string; port: number }>

/** Returns an error that explains the failure and names the setting to change: the prefix and `PORT` or `HOST`. */
export const listenError = (prefix: '' | 'ADMIN_', { host, port }: Address, cause: unknown): Error => {
  const failure = (reason: string) => new Error(`Cannot listen on port ${port} of ${host}: ${reason}.`, { cause })
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return failure(`it is already in use. Set ${prefix}PORT to another port, or to 0 for any free one`)
    case 'EACCES':
      return failure(`permission denied. Set ${prefix}PORT to a port above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return failure(`this machine has no such address. Set ${prefix}HOST to one that it has`)
    default:
      return failure(String(cause))
  }
}
