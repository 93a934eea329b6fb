import { createConfig, lintFromString } from '@redocly/openapi-core'

/** How an OpenAPI document breaks the strict rules of Redocly, but for the trailing slashes that the API mandates. */
export const redoclyProblems = async (text: string): Promise<readonly unknown[]> => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'no-path-trailing-slash': 'off' } })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])
}
