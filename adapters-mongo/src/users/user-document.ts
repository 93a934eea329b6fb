import type { User } from '@snippets/domain/user.js'
import * as t from 'io-ts'
import { decodeWith, storedId } from '../documents/document-codec.js'

export type UserDocument = Readonly<{ _id: bigint; username: string }>

export const decodeUser = decodeWith(t.strict({ id: storedId, username: t.string }, 'user'))

export const userDocument = ({ id, username }: User): UserDocument => ({ _id: id, username })
