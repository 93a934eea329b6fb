import type { OverloadLimit } from '@snippets/adapters-http/problems.js'

/** The names of the limits in the metrics and the log. Operators know most limits by their settings. */
export const limitLabels = {
  connections: 'MAX_CONNECTIONS',
  unsentBytes: 'MAX_UNSENT_MB',
  bodyBytes: 'MAX_BODIES_MB',
  pipelining: 'pipelining',
  searches: 'searches',
} as const satisfies Readonly<Record<OverloadLimit, string>>
