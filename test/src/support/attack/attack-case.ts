import { type Random, randomFrom } from '../random.js'
import { attackBytes } from './attack-bytes.js'

/** How and when the client leaves. A client that stays reads until the server closes or `stayMs` are over. */
export type Leaving = Readonly<{
  how: 'reset' | 'close' | 'half-close' | 'stay'
  when: 'at once' | 'after a turn' | 'after a pause' | 'at the first response'
}>

/** One connection of a hostile client. Equal seeds make equal cases. */
export type AttackCase = Readonly<{
  seed: number
  /** The pieces, each sent with its own write. */
  pieces: readonly Buffer[]
  /** The pause between two pieces in milliseconds; 0 is one turn of the event loop. */
  gapMs: number
  reads: boolean
  leaving: Leaving
}>

export const attackCase = (seed: number): AttackCase => {
  const random = randomFrom(seed)
  const bytes = random.chance(0.02) ? Buffer.alloc(0) : attackBytes(random)
  // some clients leave in the middle of a request
  const sent = random.chance(0.25) ? bytes.subarray(0, random.between(0, bytes.length)) : bytes
  return {
    seed,
    pieces: cut(sent, random),
    gapMs: random.pick([0, 0, 0, 1, 3]),
    reads: random.chance(0.8),
    leaving: {
      how: random.pick(['reset', 'reset', 'reset', 'close', 'half-close', 'stay']),
      when: random.pick(['at once', 'after a turn', 'after a pause', 'at the first response']),
    },
  }
}

const cut = (bytes: Buffer, random: Random): readonly Buffer[] => {
  const cuts = Array.from({ length: random.pick([0, 0, 1, 2, 5]) }, () => random.between(0, bytes.length))
  const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
}

/** Describes the case: the bytes as a JavaScript string, and how the client leaves. */
export const describeAttack = ({ seed, pieces, reads, leaving }: AttackCase): string => {
  const text = Buffer.concat(pieces).toString('latin1')
  const shown = text.length > 300 ? `${text.slice(0, 300)}… (${text.length} bytes)` : text
  return `seed ${seed}: ${JSON.stringify(shown)}, ${reads ? '' : 'not reading, '}${leaving.how} ${leaving.when}`
}
