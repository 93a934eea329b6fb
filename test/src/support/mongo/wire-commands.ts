const headerSize = 16
const opMsg = 2013

/** Parses the requests of a MongoDB connection, and reports the name of each command. */
export const wireCommands = (onCommand: (name: string) => void): ((chunk: Buffer) => void) => {
  let held = Buffer.alloc(0)
  return chunk => {
    held = Buffer.concat([held, chunk])
    while (held.length >= headerSize && held.length >= held.readInt32LE(0)) {
      const size = held.readInt32LE(0)
      if (held.readInt32LE(12) === opMsg) onCommand(commandName(held.subarray(0, size)))
      held = held.subarray(size)
    }
  }
}

/** The first key of an OP_MSG body: after the flags (4 bytes) and the section kind (1), past the length (4) and type (1). */
const commandName = (message: Buffer): string => {
  const start = headerSize + 4 + 1 + 4 + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}
