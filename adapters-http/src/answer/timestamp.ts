import type { Instant } from '@snippets/domain/snippet.js'

const dayMs = 24 * 60 * 60 * 1000

/** The day that was asked for last. Neighbours in a list are mostly of one day. */
let latest = { day: 0, text: '1970-01-01T' }

const textOf = (day: number): string => {
  if (day !== latest.day) latest = { day, text: new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length) }
  return latest.text
}

/** What `toISOString` makes of it, in a tenth of the time: that was a third of a snippet's JSON. */
export const timestampOf = (instant: Instant): string => {
  const day = Math.floor(instant / dayMs)
  const ms = instant - day * dayMs
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return `${textOf(day)}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(ms % 1000)}Z`
}

const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`)
const three = (n: number): string => (n < 100 ? `0${two(n)}` : `${n}`)
