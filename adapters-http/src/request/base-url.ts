import * as E from 'fp-ts/lib/Either.js'
import type { RequestReader } from './reader.js'

/**
 * Reads the base of absolute URLs: `publicUrl`, otherwise the Host of the request. Without a Host, as HTTP/1.0 allows,
 * the base is empty and URLs are relative.
 */
export const createBaseUrlReader = (publicUrl: string): RequestReader<string> => ({
  read: ({ state: { authority } }) => E.right(publicUrl || (authority ? `http://${authority}` : '')),
})
