import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killContract } from '../../contracts/storage/kill-contract.js'
import { openDirectory } from '../../support/storage/data-directory.js'

killContract('a data directory', {
  processes: 1,
  create: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'killed-'))
    return {
      environment: { DATA_DIR: directory },
      open: () => openDirectory(directory),
      remove: () => rm(directory, { recursive: true }),
    }
  },
})
