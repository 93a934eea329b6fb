import type { OpenApiObject } from '../openapi-objects.js'
import type { ProblemName } from '../response/problems.js'
import type { Route } from '../routes/route.js'

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token from the operator, with the scope read or write. Write includes read.',
  },
}

/** Returns the scope as a required role: OpenAPI 3.1 allows roles for schemes other than OAuth. */
export const securityOf = (scope: 'read' | 'write'): readonly OpenApiObject[] => [{ token: [scope] }]

export const isWrite = ({ method }: Route): boolean => method !== 'GET'

export const tokenProblems = (route: Route): readonly ProblemName[] =>
  isWrite(route) ? ['unauthorized', 'forbidden'] : ['unauthorized']
