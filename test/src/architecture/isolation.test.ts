import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

/** Lines of forbidden code. Each becomes a file, so that the compiler must reject each line. */
const probes = {
  'node-global': 'export const id = process.pid',
  'node-buffer': 'export const bytes = Buffer.from("")',
  'node-module': 'import "node:fs"',
  'node-timer': 'setTimeout(() => {}, 1)',
  driver: 'import "mongodb"',
  browser: 'export const title = document.title',
  network: 'export const answer = fetch("http://localhost")',
  'another-layer': 'import "@snippets/adapters-http/app.js"',
}
const allowed = 'import { some } from "fp-ts/lib/Option.js"\nexport const one = some(1n)'

for (const name of ['domain', 'application'])
  describe(`The package ${name}`, () => {
    let folder: string
    beforeEach(async () => {
      // inside the package, so that its node_modules apply; in dist, so that no other build compiles the files
      folder = await mkdtemp(join(root, name, 'dist/probe-'))
    })
    afterEach(() => rm(folder, { recursive: true }))

    it('cannot use Node, browser APIs, libraries of other packages or outer packages', async () => {
      const compilerOptions = { noEmit: true, composite: false, rootDir: '.' }
      const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      for (const [probe, text] of Object.entries({ ...probes, allowed }))
        await writeFile(join(folder, `${probe}.ts`), text)
      const output = await new Promise<string>(resolve => {
        const compiler = join(root, 'node_modules/typescript/bin/tsc')
        execFile(process.execPath, [compiler, '-p', folder], (_error, stdout) => resolve(stdout))
      })
      const rejected = [...output.matchAll(/([\w-]+)\.ts\(\d+,\d+\): error/g)].map(([, probe]) => probe)
      expect(rejected, output).to.have.members(Object.keys(probes))
    })
  })
