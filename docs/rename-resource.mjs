// Renames the resource everywhere in this repository. Then it removes itself, its test and its section of the page.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const script = join(root, 'docs/rename-resource.mjs')
const test = join(root, 'test/src/readme/rename-resource.test.ts')
const page = join(root, 'docs/make-it-yours.md')

const fail = message => {
  console.error(message)
  process.exit(1)
}

const [one = '', many = ''] = process.argv.slice(2)
if (![one, many].every(word => /^[a-z]+$/.test(word)))
  fail('Usage: node docs/rename-resource.mjs SINGULAR PLURAL, each one word of lower-case letters')

const inEachCase = (from, to) => [
  [from, to],
  [from[0].toUpperCase() + from.slice(1), to[0].toUpperCase() + to.slice(1)],
  [from.toUpperCase(), to.toUpperCase()],
]
const words = new Map([...inEachCase('snippets', many), ...inEachCase('snippet', one)])
// the plural comes first, because the singular is a part of it
const anyWord = new RegExp([...words.keys()].join('|'), 'g')
const article = /^[aeiou]/.test(one) ? '$1n' : '$1'

const rename = text => text.replace(/\b([Aa])n?(?= [`"]?snippet\b)/g, article).replace(anyWord, word => words.get(word))

const ignored = ['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split(/\/?\n/)]

/** Every entry that git tracks. The entries of a folder come before the folder. */
const entriesOf = folder =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => !ignored.includes(entry.name) && (entry.isDirectory() || entry.isFile()))
    .map(entry => ({ path: join(folder, entry.name), isFolder: entry.isDirectory() }))
    .flatMap(entry => (entry.isFolder ? [...entriesOf(entry.path), entry] : [entry]))
    .filter(({ path }) => path !== script && path !== test)

const renamedPath = path => join(dirname(path), rename(basename(path)))

const entries = entriesOf(root)
const files = entries.filter(entry => !entry.isFolder).map(({ path }) => ({ path, text: readFileSync(path, 'utf8') }))

/** The new names that the code of a file uses already. Words in comments and in quotes cannot clash. */
const clashesIn = ({ path, text }) => {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
  const names = new Set(code.match(/[A-Za-z]\w*/g))
  return [...names]
    .filter(name => rename(name) !== name && names.has(rename(name)))
    .map(name => `${rename(name)} in ${relative(root, path)}`)
}

const renamed = entries.map(({ path }) => ({ from: path, to: renamedPath(path) })).filter(({ from, to }) => from !== to)
const clashes = [
  ...renamed.filter(({ to }) => existsSync(to)).map(({ to }) => relative(root, to)),
  ...files.filter(({ path }) => path.endsWith('.ts')).flatMap(clashesIn),
]
if (clashes.length > 0) fail(`Nothing was renamed, because these names exist already:\n${clashes.join('\n')}`)

for (const { path, text } of files) {
  const kept = path === page ? text.replace(/^## Rename .*\n[\s\S]*?(?=^## )/m, '') : text
  if (rename(kept) !== text) writeFileSync(path, rename(kept))
}
for (const { from, to } of renamed) renameSync(from, to)
for (const path of [script, test]) rmSync(path, { force: true })
