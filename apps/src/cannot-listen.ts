type Address = Readonly<{ host: string; port: number }>

/** Says what an operator can do about it. The settings' names begin with the prefix. */
export const cannotListen = (prefix: '' | 'ADMIN_', { host, port }: Address, cause: unknown): Error => {
  const because = (why: string) => new Error(`Cannot listen on port ${port} of ${host}: ${why}.`, { cause })
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return because(`it is already in use. Set ${prefix}PORT to another port, or to 0 for any that is free`)
    case 'EACCES':
      return because(`this user may not use it. Set ${prefix}PORT to a port above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return because(`this machine has no such address. Set ${prefix}HOST to one that it has`)
    default:
      return because(String(cause))
  }
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : undefined)
