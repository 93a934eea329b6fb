import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

const compiler = join(root, 'node_modules/typescript/bin/tsc')

const tsc = (...args: readonly string[]): Promise<string> =>
  new Promise(resolve =>
    execFile(process.execPath, [compiler, ...args], { cwd: root }, (_error, output) => resolve(output)),
  )

/** Each becomes a file of its own, so that the compiler must reject every one. */
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

/** Inside the package, so that its node_modules apply; in `dist`, so that nothing else compiles them. */
const compileProbes = async (name: string): Promise<string> => {
  const folder = await mkdtemp(join(root, name, 'dist/probe-'))
  try {
    const compilerOptions = { noEmit: true, composite: false, rootDir: '.' }
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
    const sources = { ...probes, allowed: 'import { some } from "fp-ts/lib/Option.js"\nexport const one = some(1n)' }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    for (const [probe, text] of Object.entries(sources)) await writeFile(join(folder, `${probe}.ts`), text)
    return await tsc('-p', folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

for (const name of ['domain', 'application'])
  describe(`The package ${name}`, () => {
    it('is compiled without the types of Node and browsers', async () => {
      const { compilerOptions } = JSON.parse(await tsc('--showConfig', '-p', name))
      expect(compilerOptions.types).to.deep.equal([])
      expect(compilerOptions.lib).to.deep.equal(['es2023', 'es2024.string'])
    })

    it('cannot use Node, browser APIs, libraries of other packages or outer packages', async () => {
      const output = await compileProbes(name)
      const refused = [...output.matchAll(/([\w-]+)\.ts\(\d+,\d+\): error/g)].map(([, probe]) => probe)
      expect(refused, output).to.have.members(Object.keys(probes))
    })
  })
