import { BSON, type Document } from 'mongodb'

const headerSize = 16
const opReply = 1
const opQuery = 2004
const opMsg = 2013
const moreToCome = 1 << 1
const exhaustAllowed = 1 << 16

export const commandName = (command: Document): string => Object.keys(command)[0] ?? ''

/** Splits the bytes of a MongoDB connection into messages. */
export const eachMessage = (onMessage: (message: Buffer) => void): ((chunk: Buffer) => void) => {
  let held = Buffer.alloc(0)
  return chunk => {
    held = Buffer.concat([held, chunk])
    while (held.length >= headerSize && held.length >= held.readInt32LE(0)) {
      const size = held.readInt32LE(0)
      onMessage(held.subarray(0, size))
      held = held.subarray(size)
    }
  }
}

export type WireRequest = Readonly<ReturnType<typeof readRequest>>

export const readRequest = (message: Buffer) => {
  const isLegacy = message.readInt32LE(12) === opQuery
  // OP_QUERY: flags, a collection's name, two numbers, the command. OP_MSG: flags, the section's kind, the command
  const start = isLegacy ? message.indexOf(0, headerSize + 4) + 1 + 8 : headerSize + 4 + 1
  const end = start + message.readInt32LE(start)
  return {
    id: message.readInt32LE(4),
    /** A driver's first message is an OP_QUERY; all others are OP_MSG. */
    isLegacy,
    /** Whether the client accepts several replies to this request. */
    isExhaust: !isLegacy && (message.readInt32LE(headerSize) & exhaustAllowed) !== 0,
    command: BSON.deserialize(message.subarray(start, end), { promoteValues: false, promoteLongs: false }),
    /** The bytes after the command: documents to insert. */
    rest: message.subarray(end),
  }
}

/** Returns the same request for a standalone server. */
export const standaloneRequest = ({ id, command, rest }: WireRequest): Buffer => {
  const { lsid, txnNumber, $clusterTime, ...plain } = command
  return withHeader(Buffer.concat([Buffer.alloc(5), BSON.serialize(plain), rest]), { id, responseTo: 0, opcode: opMsg })
}

export const replyTo = ({ id, isLegacy }: WireRequest, document: Document, hasMore = false): Buffer => {
  const head = Buffer.alloc(isLegacy ? 20 : 5)
  if (isLegacy) head.writeInt32LE(1, 16)
  else head.writeInt32LE(hasMore ? moreToCome : 0, 0)
  const opcode = isLegacy ? opReply : opMsg
  return withHeader(Buffer.concat([head, BSON.serialize(document)]), { id: 0, responseTo: id, opcode })
}

/** Reads the document of a reply. */
export const readReply = (message: Buffer): Document =>
  BSON.deserialize(message.subarray(headerSize + 5), { promoteValues: false, promoteLongs: false })

/** Returns the same reply, addressed to another request. */
export const addressedTo = ({ id }: WireRequest, reply: Buffer): Buffer => {
  const copy = Buffer.from(reply)
  copy.writeInt32LE(id, 8)
  return copy
}

type Header = Readonly<{ id: number; responseTo: number; opcode: number }>

const withHeader = (body: Buffer, { id, responseTo, opcode }: Header): Buffer => {
  const header = Buffer.alloc(headerSize)
  header.writeInt32LE(headerSize + body.length, 0)
  header.writeInt32LE(id, 4)
  header.writeInt32LE(responseTo, 8)
  header.writeInt32LE(opcode, 12)
  return Buffer.concat([header, body])
}
