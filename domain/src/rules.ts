/**
 * The numbers and names that the service promises. Codecs, storage indexes, `/api/snippets/config/`, the OpenAPI document
 * and the README's tables all read this page; nothing repeats it.
 */

export const textFields = ['title', 'code', 'language'] as const
export type TextField = (typeof textFields)[number]

export type Bounds = Readonly<{ min: number; max: number }>

/** How many characters (code points) each text may have. */
export const limits: Readonly<Record<TextField, Bounds>> = {
  title: { min: 1, max: 100 },
  code: { min: 1, max: 10_000 },
  language: { min: 1, max: 50 },
}

export const defaultPageSize = 10
export const maxPageSize = 100

export const filterFields = ['language', 'title'] as const
export type FilterField = (typeof filterFields)[number]

export const orderingFields = ['created_at', 'title'] as const
export type OrderingField = (typeof orderingFields)[number]
