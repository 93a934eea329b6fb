import type { Schema } from '../openapi-objects.js'
import type { RenderedItem } from './response.js'

/** The public form of a resource. It renders items and describes them in the OpenAPI document. */
export type Representation<A> = Readonly<{
  /** The name of its schema in the document. */
  name: string
  schema: Schema
  example: unknown
  /** The item after the example in a list. */
  nextExample: unknown
  render: (item: A) => RenderedItem
  /** Renders a stored item. May keep the result for the next request. */
  renderStored: (item: A) => RenderedItem
}>
