import { constantHeader, header } from '../openapi-objects.js'
import { commonHeaders } from '../response/response.js'

/** The headers of every response, as the document describes them. */
export const commonHeaderObjects = {
  'X-Request-Id': header(
    'The id of the request: the X-Request-Id of the request if it is well-formed, otherwise a new id.',
    '5f0c6a52-6f1b-4f0e-9d0a-0c8b6a0a4f5e',
  ),
  'Cache-Control': constantHeader('Revalidate before using a stored copy.', commonHeaders['Cache-Control']),
  'X-Content-Type-Options': constantHeader(
    'Forbids browsers to guess the media type.',
    commonHeaders['X-Content-Type-Options'],
  ),
}
