import type { MemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { footprintOf, idempotencyKeyBytes } from '@snippets/adapters-memory/state/footprint.js'
import { everything } from '../../contracts/storage/stream.js'

/** Returns the number of idempotency keys. Divides the bytes that no snippet takes by the bytes of a key. */
export const storedKeys = async ({ snippets, heldBytes }: MemoryStorage): Promise<number> => {
  const footprints = (await everything(snippets)).map(footprintOf)
  return footprints.reduce((bytes, footprint) => bytes - footprint, heldBytes()) / idempotencyKeyBytes
}
