import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/workspace-root.js'

export type Source = Readonly<{ file: string; text: string; imports: readonly string[] }>

export type Package = Readonly<{
  name: string
  dependencies: readonly string[]
  devDependencies: readonly string[]
  sources: readonly Source[]
}>

// relies on the formatter's spacing, so that `Buffer.from('x')` does not match
const importStatement = /\b(?:from |import |import\()['"]([^'"\n]+)['"]/g

export const importsOf = (text: string): readonly string[] =>
  [...text.matchAll(importStatement)].flatMap(([, specifier]) => specifier ?? [])

const readSource = (file: string): Source => {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, imports: importsOf(text) }
}

const readSources = (folder: string): readonly Source[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readSource(join(folder, name)))

const readPackage = (name: string): Package => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
  return {
    name,
    dependencies: Object.keys(dependencies),
    devDependencies: Object.keys(devDependencies),
    sources: readSources(join(name, 'src')),
  }
}

export const packages: readonly Package[] = readdirSync(root)
  .filter(name => existsSync(join(root, name, 'package.json')))
  .map(readPackage)
