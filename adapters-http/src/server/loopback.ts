/** Tells whether only this machine can reach a server at the address. */
export const isLoopback = (address: string): boolean => /^(?:localhost|::1|(?:::ffff:)?127\.[\d.]+)$/.test(address)
