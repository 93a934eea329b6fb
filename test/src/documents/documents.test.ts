import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { settingNames } from '@snippets/apps/settings/settings.js'
import { storageNames } from '@snippets/apps/settings/storage-settings.js'
import { expect } from 'chai'
import { databases } from '../support/storage/databases.js'
import { productPackages, readFromRoot as read, root } from '../support/workspace-root.js'

const documents = ['.', 'docs', '.github'].flatMap(folder =>
  readdirSync(join(root, folder)).flatMap(name => (name.endsWith('.md') ? join(folder, name) : [])),
)

/** Returns the first group of each match, or the match. */
const matchesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(([match, group = match]) => group)

const codeIn = (text: string): string => matchesIn(text, /^```\w+\n.*?^```$|`[^`\n]+`/gms).join('\n')

const code = documents.map(file => codeIn(read(file))).join('\n')

/** A path from the root, unlike a media type such as `application/json`. */
const namedPath = new RegExp(
  String.raw`(?<!@snippets/)\b(?!application/(?!src))(?:${productPackages.join('|')}|docs|test|dist|node_modules)/[\w./-]+`,
  'g',
)

describe('The documents', () => {
  for (const file of documents)
    it(`name and link only files that exist, in ${file}`, () => {
      const links = matchesIn(read(file), /\]\(([^)\s#]+)/g).filter(link => !/^https?:/.test(link))
      const paths = [
        ...links.map(link => join(dirname(file), link)),
        // a bundle has the content of apps
        ...matchesIn(codeIn(read(file)), namedPath).map(path => path.replace(/^(?=dist|node_modules)/, 'apps/')),
      ]
      expect(paths.filter(path => !existsSync(join(root, path)))).to.deep.equal([])
    })

  it('name functions and other words only in files that hold them', () => {
    const named = documents.flatMap(document =>
      [...read(document).matchAll(/((?:`[\w.]+`(?:, | and )?)+) (?:of|in) `([\w.-]*\/[\w./-]*\.\w+)`/g)].flatMap(
        ([, words = '', path = '']) => matchesIn(words, /`([^`]+)`/g).map(word => ({ document, word, path })),
      ),
    )
    expect(named.map(({ word }) => word)).to.include.members(['createSnippet', 'readValue', 'families'])
    const holds = ({ word, path }: (typeof named)[number]) =>
      existsSync(join(root, path)) && new RegExp(`\\b${word}\\b`).test(read(path))
    expect(named.filter(each => !holds(each))).to.deep.equal([])
  })

  it('call only scripts of package.json, and leave out none', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
    const callable = Object.keys(scripts).filter(name => !name.startsWith('pre'))
    expect([...new Set(matchesIn(code, /\bnpm (?:run )?(\w+)/g))]).to.have.members(callable)
  })

  it('set only existing settings, as do the files of deployments', () => {
    const files = ['compose.yaml', 'docs/deploy/kubernetes.yaml', 'docs/deploy/snippets.service']
    const [image = ''] = /^ENV .*/m.exec(read('Dockerfile')) ?? []
    // a command of another program has variables of its own
    const commands = code.replaceAll('\\\n', ' ').split('\n')
    const ours = commands.filter(line => /^(?:-e )?\S+$|\b(?:npm|node|snippets)\b/.test(line))
    const texts = [...ours, image, ...files.map(read)].join('\n')
    const names = matchesIn(texts, /\b[A-Z]+(?:_[A-Z]+)*(?==|: )|(?<=name: )[A-Z_]{4,}/g)
    expect(names).to.include.members(['PUBLIC_URL', 'DATA_DIR', 'API_TOKENS_FILE', 'ADMIN_HOST'])
    const runner = readdirSync(join(root, 'test/src/runner')).map(name => read(`test/src/runner/${name}`))
    const required = storageNames.map(name => `REQUIRE_${name.toUpperCase()}`)
    const known = [...settingNames, ...required, ...matchesIn(runner.join('\n'), /\b[A-Z]+(?:_[A-Z]+)+\b/g)]
    const unknown = names.filter(name => !known.includes(name) && !name.startsWith('NODE_'))
    expect(unknown, 'neither a setting nor a variable of the test runner').to.deep.equal([])
  })

  it('leave out no database', () => {
    for (const storage of Object.keys(databases)) {
      for (const file of ['.ci/run', '.github/workflows/ci.yml'])
        expect(read(file), file).to.match(new RegExp(`\\bREQUIRE_${storage.toUpperCase()}(?:=|: )1\\b`))
      expect(read('README.md')).to.contain(`STORAGE=${storage} `)
      expect(read('CONTRIBUTING.md')).to.contain(`\`${storage}/\``)
      expect(read('docs/make-it-yours.md')).to.contain(`\`adapters-${storage}/\``)
    }
  })

  it('shard the collection of snippets by a valid key, and raise the counter of ids', () => {
    const calls: unknown[][] = []
    const record = (...call: unknown[]) => calls.push(call)
    const database = { sh: { shardCollection: record }, db: { counters: { updateOne: record } }, Long: BigInt }
    for (const command of matchesIn(code, /mongosh "\$MONGODB_URL" --eval '(.+)'/g)) runInNewContext(command, database)
    expect(calls).to.have.deep.members([
      [`${createConnection('mongodb://127.0.0.1:1').db.databaseName}.snippets`, { _id: 'hashed' }],
      // a test of the counter checks its name
      [{ _id: 'snippets' }, { $max: { last: 1000000n } }],
    ])
  })
})
