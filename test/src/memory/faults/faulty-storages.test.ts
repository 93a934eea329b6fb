import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { expect } from 'chai'
import { mochaCommand, mochaOptions } from '../../commands/mocha-options.js'
import { storageContract } from '../../contracts/storage/storage-contract.js'
import { faultyStorages, reversedIds } from '../../support/faults/faulty-storages.js'
import { root } from '../../support/workspace-root.js'

/** Returns the output of mocha for a contract on a storage with this fault. */
const runContract = (fault: string): Promise<string> =>
  new Promise(resolve => {
    const contract = join(root, 'test/dist/support/faults/faulty-contract.js')
    const env = { ...process.env, FAULTY_STORAGE: fault }
    execFile(process.execPath, [mochaCommand, ...mochaOptions, '--reporter', 'spec', contract], { env }, (_, stdout) =>
      resolve(stdout),
    )
  })

const maxAttempts = 3

/** Runs a contract again if it does not notice the fault, because a network fault may miss the few moments that matter. */
const runUntilNoticed = async (fault: string, failure: string): Promise<string> => {
  let output = ''
  for (let attempt = 0; attempt < maxAttempts && !failuresIn(output).includes(failure); attempt++)
    output = await runContract(fault)
  return output
}

const failuresIn = (output: string): string => output.split(/\d+ failing/)[1] ?? ''

/** How many contracts run at the same time. With more, a busy machine would cause other failures. */
const maxRuns = 4

describe('The contracts', () => {
  const outputs = new Map<string, string>()
  before(async function () {
    this.timeout(240_000)
    const remaining = Object.entries(faultyStorages)
    const runTheRest = async (): Promise<void> => {
      for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
        const [fault, [, failure]] = next
        outputs.set(fault, await runUntilNoticed(fault, failure))
      }
    }
    await Promise.all(Array.from({ length: maxRuns }, runTheRest))
  })

  for (const [fault, [, failure]] of Object.entries(faultyStorages))
    it(`reject a storage that ${fault}`, () => {
      const output = outputs.get(fault) ?? ''
      expect(failuresIn(output), output).to.contain(failure)
    })
})

storageContract('memory with ids in reverse call order', {
  open: async ({ firstId, users = [] }) => {
    const { snippets, ...storage } = memoryStorage({ users, ...(firstId !== undefined && { firstId }) })
    return { ...storage, snippets: reversedIds(snippets) }
  },
})
