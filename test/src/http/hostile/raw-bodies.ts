import { validBody } from './hostile-table.js'

export const fields = ['title', 'code', 'language'] as const

/** A valid body but for one value, which is raw JSON text because JSON.stringify could not write it. */
export const withValue = (field: string, value: string): string => {
  const others = fields.filter(name => name !== field).map(name => `"${name}":"x"`)
  return `{${[`"${field}":${value}`, ...others].join(',')}}`
}

/** The valid body with other JSON members before its own. */
export const after = (members: string): string => `{${members},${validBody.slice(1)}`
