import * as t from 'io-ts'
import { decodeWith, documentCodec, storedId } from '../documents/document-codec.js'

const fields = { id: storedId, username: t.string }

export const userDocument = documentCodec(t.strict(fields, 'user'))

export type UserDocument = Readonly<t.OutputOf<typeof userDocument>>

export const decodeUser = decodeWith(userDocument, fields)
