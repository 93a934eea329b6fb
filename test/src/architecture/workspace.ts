import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/workspace-root.js'

export type Source = Readonly<{ file: string; text: string; imports: readonly string[] }>

type Package = Readonly<{ name: string; dependencies: readonly string[]; sources: readonly Source[] }>

// relies on the formatter's spacing, so that `Buffer.from('x')` does not match
const importStatement = /\b(?:from |import |import\()['"]([^'"\n]+)['"]/g

const readSource = (file: string): Source => {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, imports: [...text.matchAll(importStatement)].flatMap(([, specifier]) => specifier ?? []) }
}

const readPackage = (name: string): Package => ({
  name,
  dependencies: Object.keys(JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).dependencies),
  sources: readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => readSource(join(name, 'src', file))),
})

export const packages: readonly Package[] = readdirSync(root)
  .filter(name => existsSync(join(root, name, 'package.json')))
  .map(readPackage)
