import { startService } from './in-process.js'

/** Run with --expose-gc and an IPC channel: says where it listens, then answers every message with the bytes that V8 knows it holds. */
const { url } = await startService()
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.(heapUsed + external)
})
process.once('disconnect', () => process.exit())
process.send?.(url)
