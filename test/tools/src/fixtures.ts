import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDirectoryTarget } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { makeTokenLine } from '@snippets/apps/tokens/token-file.js'
import { linesOf } from '@snippets/apps/transfer/ndjson.js'
import { version } from '@snippets/apps/version.js'
import { namesOf } from '@snippets/domain/values/record.js'
import { databaseFixtures } from '@snippets/test/compatibility/database-fixtures.js'
import { checksumsOf, fixture, fixtures, openApiText } from '@snippets/test/compatibility/fixtures.js'
import { writeSamples } from '@snippets/test/compatibility/samples.js'
import { openDatabases } from '@snippets/test/runner/databases.js'
import { threeUsers } from '@snippets/test/support/service/in-process.js'
import { must } from '@snippets/test/support/snippets.js'
import { openDirectory } from '@snippets/test/support/storage/data-directory.js'
import { databases } from '@snippets/test/support/storage/databases.js'

/** Keeps what this version of the service writes, as fixtures for later versions. */

const writeDirectory = async (): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'release-'))
  const rows = must(await openDirectoryTarget(directory)())
  must(await rows.begin(0n)())
  must(await rows.add(threeUsers.map(user => ({ kind: 'user', entity: user })))())
  must(await rows.finish())
  must(await rows.close())
  const storage = await openDirectory(directory)
  await writeSamples(storage)
  if (storage.snapshot !== undefined) await writeFile(fixture(version, 'backup.ndjson'), linesOf(storage.snapshot))
  await storage.close()
  // LevelDB creates these at each opening
  const isData = (file: string): boolean => !/\/(?:LOCK|LOG|LOG\.old)$/.test(file)
  cpSync(directory, fixture(version, 'data-dir'), { recursive: true, filter: isData })
  rmSync(directory, { recursive: true })
}

/** Writes the file of each database. Returns whether all databases were available. */
const writeDatabases = async (engines: Awaited<ReturnType<typeof openDatabases>>): Promise<boolean> => {
  let isComplete = true
  for (const storage of namesOf(databases)) {
    const { file, read, open } = databaseFixtures[storage]
    const engine = engines.find(({ folder }) => folder === storage)
    const engineUrl = engine?.environment[databases[storage].setting]
    for (const note of engine?.notes ?? []) console.error(note)
    isComplete &&= engineUrl !== undefined
    if (engineUrl === undefined) continue
    const { url, drop } = databases[storage].freshDatabase(engineUrl)
    const opened = await open(url, threeUsers)
    await writeSamples(opened)
    await opened.close()
    writeFileSync(fixture(version, file), await read(url))
    await drop()
  }
  return isComplete
}

if (version.endsWith('-dev')) {
  console.error(`${version} is not released. Set the version of the release in apps/package.json.`)
  process.exit(1)
}
if (existsSync(fixture(version, 'SHA256SUMS'))) {
  console.error(
    `test/fixtures/${version} is complete. Set the next version in apps/package.json, or remove the folder if ${version} is not released.`,
  )
  process.exit(1)
}
rmSync(join(fixtures, version), { recursive: true, force: true })
mkdirSync(join(fixtures, version), { recursive: true })
const engines = await openDatabases()
const isComplete = await writeDatabases(engines).finally(() => Promise.all(engines.map(({ stop }) => stop())))
await writeDirectory()
writeFileSync(
  fixture(version, 'tokens.txt'),
  makeTokenLine('ada', 'read', 'of-ada') + makeTokenLine('bob', 'write', 'of-bob'),
)
writeFileSync(fixture(version, 'openapi.json'), `${JSON.stringify(JSON.parse(await openApiText()), undefined, 1)}\n`)
if (isComplete) writeFileSync(fixture(version, 'SHA256SUMS'), checksumsOf(version))
process.exit(isComplete ? 0 : 1)
