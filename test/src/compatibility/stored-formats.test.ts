import { cpSync, existsSync, readFileSync } from 'node:fs'
import { hashToken } from '@snippets/adapters-http/middleware/tokens.js'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { parseTokens } from '@snippets/apps/tokens/token-file.js'
import { transfer } from '@snippets/apps/transfer/transfer-rows.js'
import { namesOf } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import { threeUsers } from '../support/service/in-process.js'
import { must } from '../support/snippets.js'
import { backupOf, directories, openDirectory } from '../support/storage/data-directory.js'
import { databases } from '../support/storage/databases.js'
import { databaseFixtures } from './database-fixtures.js'
import { fixture, releases } from './fixtures.js'
import { readSamples, writeSamples } from './samples.js'

/** Returns the responses of a service that has written the samples itself. */
const expected = async (): Promise<readonly unknown[]> => {
  const storage = createMemoryStorage({ users: threeUsers })
  await writeSamples(storage)
  return readSamples(storage)
}

for (const storage of namesOf(databaseFixtures)) {
  const { read, fill, open } = databaseFixtures[storage]
  const { setting, freshDatabase } = databases[storage]
  const engine = process.env[setting]
  if (engine === undefined) continue
  it(`A fixture of a ${storage} database holds everything that the service needs`, async () => {
    const [original, copy] = [freshDatabase(engine), freshDatabase(engine)]
    const written = await open(original.url, threeUsers)
    await writeSamples(written)
    await written.close()
    const text = await read(original.url)
    await fill(copy.url, text)
    expect(await read(copy.url)).to.equal(text)
    const opened = await open(copy.url, [])
    expect(await readSamples(opened)).to.deep.equal(await expected())
    await opened.close()
    for (const { drop } of [original, copy]) await drop()
  })
}

for (const release of releases) {
  describe(`After an upgrade from ${release}, the service`, () => {
    const newDirectory = directories()

    it('responds as before with its DATA_DIR', async () => {
      const directory = await newDirectory()
      cpSync(fixture(release, 'data-dir'), directory, { recursive: true })
      const storage = await openDirectory(directory)
      expect(await readSamples(storage)).to.deep.equal(await expected())
      await storage.close()
    })

    it('responds as before with a restored backup, and writes it again byte for byte', async () => {
      const to = await newDirectory()
      const backup = fixture(release, 'backup.ndjson')
      must(await transfer({ from: backup, to }, { copied: 0, compared: 0 })())
      const storage = await openDirectory(to)
      expect(await backupOf(storage)).to.equal(readFileSync(backup, 'utf8'))
      // later responses depend on idempotency keys, which a backup leaves out
      const reads = 4
      expect((await readSamples(storage)).slice(0, reads)).to.deep.equal((await expected()).slice(0, reads))
      await storage.close()
    })

    it('accepts the tokens of its token file', () => {
      expect(must(parseTokens(readFileSync(fixture(release, 'tokens.txt'), 'utf8')))).to.deep.equal([
        { name: 'ada', scope: 'read', hash: Buffer.from(hashToken('of-ada')) },
        { name: 'bob', scope: 'write', hash: Buffer.from(hashToken('of-bob')) },
      ])
    })
  })

  for (const storage of namesOf(databaseFixtures)) {
    const { file, fill, open } = databaseFixtures[storage]
    const { setting, freshDatabase } = databases[storage]
    const engine = process.env[setting]
    if (engine === undefined || !existsSync(fixture(release, file))) continue
    it(`After an upgrade from ${release}, the service responds as before with its ${storage} database`, async () => {
      const { url, drop } = freshDatabase(engine)
      await fill(url, readFileSync(fixture(release, file), 'utf8'))
      const opened = await open(url, [])
      expect(await readSamples(opened)).to.deep.equal(await expected())
      await opened.close()
      await drop()
    })
  }
}
