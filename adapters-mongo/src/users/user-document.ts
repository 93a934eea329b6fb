import { t } from '@snippets/domain/fp/io-ts.js'
import { decodeWith, documentCodec, storedId } from '../documents/document-codec.js'

const fields = { id: storedId, username: t.string }

export const userDocument = documentCodec(t.strict(fields, 'user'))

export type UserDocument = Readonly<t.OutputOf<typeof userDocument>>

export const decodeUser = decodeWith(userDocument, fields)
