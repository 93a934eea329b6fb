import { t } from '@snippets/domain/fp/io-ts.js'
import { decodeWith, documentCodec, storedId } from '../documents/document-codec.js'

export const userDocument = documentCodec(t.strict({ id: storedId, username: t.string }, 'user'))

export type UserDocument = Readonly<t.OutputOf<typeof userDocument>>

export const decodeUser = decodeWith(userDocument)
