/** Tells whether only this machine can reach a server bound to the address. */
export const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(address)
