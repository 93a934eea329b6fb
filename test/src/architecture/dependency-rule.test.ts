import { join, normalize } from 'node:path'
import { expect } from 'chai'
import { importsOf, packages } from './workspace.js'

const adapters = ['adapters-http', 'adapters-memory', 'adapters-mongo']

/** What each may use of the others. Where `pure`, it uses fp-ts beside that and nothing else, not even Node. */
const rules: Readonly<Record<string, Readonly<{ uses: readonly string[]; pure: boolean }>>> = {
  domain: { uses: [], pure: true },
  application: { uses: ['domain'], pure: true },
  'adapters-memory': { uses: ['domain', 'application'], pure: true },
  'adapters-mongo': { uses: ['domain', 'application'], pure: false },
  'adapters-http': { uses: ['domain', 'application'], pure: false },
  apps: { uses: ['domain', 'application', ...adapters], pure: false },
  test: { uses: ['domain', 'application', ...adapters, 'apps'], pure: false },
}

const ours = (name: string): boolean => name.startsWith('@snippets/')

/** `@koa/router` of `@koa/router/x.js`, `fp-ts` of `fp-ts/lib/Either.js`. */
const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

describe('The dependency rule', () => {
  it('sees every way to import', () => {
    const text = `
      import { a } from %one%
      import type { b } from %two%
      import %three%
      export { c } from %four%
      const d = await import(%five%)
      type E = import(%six%).E`.replaceAll('%', '"')
    expect(importsOf(text)).to.deep.equal(['one', 'two', 'three', 'four', 'five', 'six'])
  })

  it('knows every package', () => {
    expect(packages.map(({ name }) => name)).to.have.members(Object.keys(rules))
  })

  for (const { name, dependencies, devDependencies, sources } of packages) {
    const { uses, pure } = rules[name] ?? { uses: [], pure: true }
    const allowed = uses.map(used => `@snippets/${used}`)

    it(`lets ${name} depend on ${['libraries', ...uses].join(', ')}`, () => {
      expect(allowed).to.include.members([...dependencies, ...devDependencies].filter(ours))
      if (pure) expect(['fp-ts', ...allowed]).to.include.members([...dependencies, ...devDependencies])
    })

    it(`lets ${name} import what it depends on and nothing else`, () => {
      const foreign = sources.flatMap(({ file, imports }) =>
        imports
          .filter(specifier => !specifier.startsWith('.'))
          .filter(specifier => (specifier.startsWith('node:') ? pure : !dependencies.includes(packageOf(specifier))))
          .map(specifier => `${file}: ${specifier}`),
      )
      expect(foreign).to.deep.equal([])
    })

    it(`keeps the relative imports of ${name} within its sources`, () => {
      const outside = sources.flatMap(({ file, imports }) =>
        imports
          .filter(specifier => specifier.startsWith('.'))
          .map(specifier => normalize(join(file, '..', specifier)))
          .filter(target => !target.startsWith(join(name, 'src'))),
      )
      expect(outside).to.deep.equal([])
    })
  }
})
