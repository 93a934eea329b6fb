const headerSize = 16
const opMsg = 2013

/** Reads the requests of one MongoDB connection as they pass, and tells the name of each command. */
export const wireCommands = (tell: (name: string) => void): ((chunk: Buffer) => void) => {
  let held = Buffer.alloc(0)
  return chunk => {
    held = Buffer.concat([held, chunk])
    while (held.length >= headerSize && held.length >= held.readInt32LE(0)) {
      const size = held.readInt32LE(0)
      if (held.readInt32LE(12) === opMsg) tell(commandName(held.subarray(0, size)))
      held = held.subarray(size)
    }
  }
}

/** The first key of the document that follows the flags (4 bytes) and the section's kind (1), past its length and type. */
const commandName = (message: Buffer): string => {
  const start = headerSize + 4 + 1 + 4 + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}
