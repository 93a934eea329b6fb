import { copyFile, readdir, readFile, rename } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { runInShell } from '../support/commands/shell-command.js'
import { copyWorkspace, type WorkspaceCopy } from '../support/commands/workspace-copy.js'

describe('docs/rename-resource.mjs', function () {
  this.timeout(300_000)
  let copy: WorkspaceCopy
  before(async () => {
    copy = await copyWorkspace()
  })
  after(() => copy.remove())

  const run = (line: string) => runInShell(line, copy.folder, { WITHOUT_DATABASES: '1' }).ended

  const succeeds = async (line: string): Promise<void> => {
    const { code, output } = await run(line)
    expect(code, output).to.equal(0)
  }

  /** The text of each file by its path. */
  const sources = async (): Promise<Readonly<Record<string, string>>> => {
    const entries = ['docs', ...packages.map(({ name }) => `${name}/src`)].map(folder =>
      readdir(join(copy.folder, folder), { recursive: true, withFileTypes: true }),
    )
    const files = (await Promise.all(entries)).flat().filter(entry => entry.isFile())
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    const texts = paths.map(async path => [relative(copy.folder, path), await readFile(path, 'utf8')])
    return Object.fromEntries(await Promise.all(texts))
  }

  it('renames nothing when a name is missing, malformed or taken', async () => {
    const before = await sources()
    for (const [names, complaint] of [
      ['ox', 'Usage:'],
      ['Ox Oxen', 'Usage:'],
      ['user users', '\ndomain/src/entities/user.ts\n'],
      ['item items', 'items in adapters-memory/src/'],
    ]) {
      const { code, output } = await run(`node docs/rename-resource.mjs ${names}`)
      expect(output).to.contain(complaint)
      expect(code).to.equal(1)
    }
    expect(await sources()).to.deep.equal(before)
  })

  it('leaves a workspace that builds, passes the contracts and names the old resource nowhere', async () => {
    await succeeds('node docs/rename-resource.mjs ox oxen')
    // as an install would, but without a network
    for (const { name } of packages) {
      const links = join(copy.folder, name, 'node_modules')
      if ((await readdir(links)).includes('@snippets')) await rename(join(links, '@snippets'), join(links, '@oxen'))
    }
    await copyFile(join(copy.folder, 'node_modules/.pnpm/lock.yaml'), join(copy.folder, 'pnpm-lock.yaml'))

    const naming = Object.entries(await sources()).filter(source => /snippet/i.test(source.join()))
    expect(naming.map(([path]) => path)).to.deep.equal([])

    await succeeds('npm run format && npm run typecheck')
    const tests = ['readme/documents', 'http/contract', 'memory/storage'].map(name => `test/src/${name}.test.ts`)
    await succeeds(`node test/dist/commands/test.js ${tests.join(' ')}`)
  })
})
