import { eachMessage } from './wire-message.js'

const headerSize = 16
const opMsg = 2013

/** Parses the requests of a MongoDB connection, and reports the name of each command. */
export const wireCommands = (onCommand: (name: string) => void): ((chunk: Buffer) => void) =>
  eachMessage(message => {
    if (message.readInt32LE(12) === opMsg) onCommand(commandName(message))
  })

/** The first key of an OP_MSG body: after the flags (4 bytes) and the section kind (1), past the length (4) and type (1). */
const commandName = (message: Buffer): string => {
  const start = headerSize + 4 + 1 + 4 + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}
