import { contentOf } from '../content.js'

/** Number `serial` of a measurement in this round, on so many snippets. */
export type Asked = Readonly<{ serial: number; round: number; snippets: number }>

export type Ask = () => Promise<unknown>

/** By the names of the rows. Each makes what it will ask with, which is not measured. */
export type Operations = Readonly<Record<string, (asked: Asked) => Ask>>

/** Ids that are spread over the collection. */
export const idOf = ({ serial, snippets }: Asked): bigint => BigInt(1 + ((serial * 7919) % snippets))

/** Of no language that is asked for, so that pages stay as they are. */
export const newContent = ({ serial }: Asked) => ({ ...contentOf(serial), language: 'new' })

export const newTitle = ({ serial, round }: Asked): string => `Patched ${round} ${serial}`
