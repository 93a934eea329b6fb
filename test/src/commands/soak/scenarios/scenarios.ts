import type { Scenario } from '../scenario.js'
import { largePages, listReaders, nonReaders, pipelining } from './answers-in-memory.js'
import { ignoredBodies, smallChunks } from './bodies-in-memory.js'
import { mixed } from './mixed.js'
import { overload } from './overload.js'
import { rawBytes } from './raw-bytes.js'
import { slowClients } from './slow-clients.js'
import { stopping } from './stopping.js'
import { worstRequest } from './worst-request.js'

export const scenarios: readonly Scenario[] = [
  rawBytes,
  stopping,
  pipelining,
  largePages,
  nonReaders,
  listReaders,
  smallChunks,
  ignoredBodies,
  slowClients,
  overload,
  worstRequest,
  mixed,
]
