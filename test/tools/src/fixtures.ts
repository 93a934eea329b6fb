import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDirectoryTarget } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { makeTokenLine } from '@snippets/apps/tokens/token-file.js'
import { linesOf } from '@snippets/apps/transfer/ndjson.js'
import { version } from '@snippets/apps/version.js'
import { checksumsOf, fixture, fixtures, openApiText } from '@snippets/test/compatibility/fixtures.js'
import { writeSamples } from '@snippets/test/compatibility/samples.js'
import { freshDatabase, openPrepared } from '@snippets/test/support/mongo/database.js'
import { threeUsers } from '@snippets/test/support/service/in-process.js'
import { must } from '@snippets/test/support/snippets.js'
import { openDirectory } from '@snippets/test/support/storage/data-directory.js'
import { BSON } from 'mongodb'
import { withMongo } from './with-mongo.js'

/** Keeps what this version of the service writes, as fixtures for later versions. */

const writeDirectory = async (): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'release-'))
  const rows = must(await openDirectoryTarget(directory)())
  must(await rows.begin({ snippet: 0n })())
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

const writeDocuments = async (engine: string): Promise<void> => {
  const { url, db, drop } = freshDatabase(engine)
  const storage = await openPrepared(url, { users: threeUsers })
  await writeSamples(storage)
  await storage.close()
  const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort()
  const documents = await Promise.all(
    collections.map(name =>
      db.collection(name, { promoteValues: false, useBigInt64: false }).find().sort({ _id: 1 }).toArray(),
    ),
  )
  const byCollection = Object.fromEntries(collections.map((name, i) => [name, documents[i]]))
  writeFileSync(
    fixture(version, 'mongodb.json'),
    `${BSON.EJSON.stringify(byCollection, undefined, 1, { relaxed: false })}\n`,
  )
  await drop()
}

if (existsSync(fixture(version, 'SHA256SUMS'))) {
  console.error(
    `test/fixtures/${version} is complete. Set the next version in apps/package.json, or remove the folder if ${version} is not released.`,
  )
  process.exit(1)
}
rmSync(join(fixtures, version), { recursive: true, force: true })
mkdirSync(join(fixtures, version), { recursive: true })
await withMongo(writeDocuments)
await writeDirectory()
writeFileSync(
  fixture(version, 'tokens.txt'),
  makeTokenLine('ada', 'read', 'of-ada') + makeTokenLine('bob', 'write', 'of-bob'),
)
writeFileSync(fixture(version, 'openapi.json'), `${JSON.stringify(JSON.parse(await openApiText()), undefined, 1)}\n`)
const isComplete = existsSync(fixture(version, 'mongodb.json'))
if (isComplete) writeFileSync(fixture(version, 'SHA256SUMS'), checksumsOf(version))
process.exit(isComplete ? 0 : 1)
