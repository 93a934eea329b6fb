import type { Schema } from '../json-schema.js'
import type { Rendered } from './answer.js'

/** How a resource looks outside. The same record shows an item and describes it in the OpenAPI document. */
export type Representation<A> = Readonly<{
  /** The name of its schema in the document. */
  name: string
  schema: Schema
  example: unknown
  /** Whether it has an ETag and can be requested conditionally. */
  isTagged: boolean
  render: (item: A) => Rendered
}>
