import type { Schema } from '../json-schema.js'

/** On every response. */
export const commonHeaders: Readonly<Record<string, Schema>> = {
  'X-Request-Id': {
    description: 'The id of the request: the one that came with it where it is well-formed, else a new one.',
    required: true,
    schema: { type: 'string' },
    example: '5f0c6a52-6f1b-4f0e-9d0a-0c8b6a0a4f5e',
  },
  'Cache-Control': {
    description: 'Revalidate before using a stored copy.',
    required: true,
    schema: { const: 'no-cache' },
  },
  'X-Content-Type-Options': { description: 'Always nosniff.', required: true, schema: { const: 'nosniff' } },
}
