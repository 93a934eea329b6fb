import type { Shown } from './answer.js'
import type { Schema } from './json-schema.js'

/** How a resource looks outside. The same record shows an item and describes it in the OpenAPI document. */
export type Representation<A> = Readonly<{
  /** The name of its schema in the document. */
  name: string
  schema: Schema
  example: unknown
  /** Whether it has an ETag and can be requested conditionally. */
  isTagged: boolean
  show: (item: A) => Shown
}>

/** The same of a resource that can be written. */
export type WritableRepresentation<A> = Representation<A> &
  Readonly<{
    /** Shows an item that has just been written, and remembers nothing: it may be written again before it is read. */
    showWritten: (item: A) => Shown
  }>
