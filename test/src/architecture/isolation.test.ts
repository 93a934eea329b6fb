import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

/** Lines of forbidden code. Each becomes a file, so that the compiler must reject each line. */
const forbidden = {
  'node-global': 'export const id = process.pid',
  'node-module': 'import "node:fs"',
  timer: 'setTimeout(() => {}, 1)',
  driver: 'import "mongodb"',
  browser: 'export const title = document.title',
  network: 'export const answer = fetch("http://localhost")',
  'another-layer': 'import "@snippets/adapters-http/app.js"',
}
const allowed = 'import { some } from "fp-ts/lib/Option.js"\nexport const one = some(1n)'

describe('The package', () => {
  let folder: string
  afterEach(() => rm(folder, { recursive: true }))

  for (const name of ['domain', 'application'])
    it(`${name} cannot use Node, browser APIs, libraries of other packages or outer packages`, async () => {
      // inside the package, so that its node_modules apply; in dist, so that no other build compiles the files
      folder = await mkdtemp(join(root, name, 'dist/probe-'))
      const compilerOptions = { noEmit: true, composite: false, rootDir: '.' }
      const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      for (const [probe, text] of Object.entries({ ...forbidden, allowed }))
        await writeFile(join(folder, `${probe}.ts`), text)
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
      const rejected = [...stdout.matchAll(/([\w-]+)\.ts\(\d+,\d+\): error/g)].map(([, probe]) => probe)
      expect(rejected, stdout).to.have.members(Object.keys(forbidden))
    })
})
