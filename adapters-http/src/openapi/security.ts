import type { ProblemName } from '../answer/problems.js'
import type { Schema } from '../json-schema.js'
import type { Route } from '../routes/route.js'

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token that the operator made. Its scope is read, or write, which includes read.',
  },
}

/** OpenAPI 3.1 lets a scheme that is not OAuth name the roles that are needed. */
export const securityOf = (scope: 'read' | 'write'): readonly Schema[] => [{ token: [scope] }]

export const isWrite = ({ method }: Route): boolean => method !== 'GET'

export const tokenProblems = (route: Route): readonly ProblemName[] =>
  isWrite(route) ? ['unauthorized', 'forbidden'] : ['unauthorized']
