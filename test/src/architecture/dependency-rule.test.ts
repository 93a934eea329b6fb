import { join, normalize } from 'node:path'
import { expect } from 'chai'
import { importsOf, packages } from './workspace.js'

const adapters = ['adapters-http', 'adapters-memory', 'adapters-mongo']

type Rule = Readonly<{ uses: readonly string[]; pure: boolean }>

/** Which packages each may use. A pure one may use fp-ts and io-ts besides, but no other library and nothing of Node. */
const rules: Readonly<Record<string, Rule>> = {
  domain: { uses: [], pure: true },
  application: { uses: ['domain'], pure: true },
  'adapters-memory': { uses: ['domain', 'application'], pure: false },
  'adapters-mongo': { uses: ['domain', 'application'], pure: false },
  'adapters-http': { uses: ['domain', 'application'], pure: false },
  apps: { uses: ['domain', 'application', ...adapters], pure: false },
  test: { uses: ['domain', 'application', ...adapters, 'apps'], pure: false },
}

const ours = (name: string): boolean => name.startsWith('@snippets/')

/** `@koa/router` of `@koa/router/x.js`, `fp-ts` of `fp-ts/lib/Either.js`. */
const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

describe('The dependency rule', () => {
  it('is checked on every form of import', () => {
    const text = `
      import { a } from %one%
      import type { b } from %two%
      import %three%
      export { c } from %four%
      const d = await import(%five%)
      type E = import(%six%).E`.replaceAll('%', '"')
    expect(importsOf(text)).to.deep.equal(['one', 'two', 'three', 'four', 'five', 'six'])
  })

  it('covers every package', () => {
    expect(packages.map(({ name }) => name)).to.have.members(Object.keys(rules))
  })

  it('keeps the ports out of adapters-http, which calls use cases only', () => {
    const port = '@snippets/domain/ports.js'
    const sources = packages.filter(({ name }) => name === 'adapters-http').flatMap(({ sources }) => sources)
    expect(sources).to.have.length.greaterThan(0)
    expect(sources.filter(({ imports }) => imports.includes(port)).map(({ file }) => file)).to.deep.equal([])
  })

  it('lets adapters-memory load its library only when it is asked to', () => {
    const sources = packages.filter(({ name }) => name !== 'test').flatMap(package_ => package_.sources)
    const loads = sources.filter(({ text }) =>
      /^import (?!type )[^\n]*'classic-level'|import\('classic-level'\)/m.test(text),
    )
    expect(loads.map(({ file }) => file)).to.deep.equal(['adapters-memory/src/kept/row-file.ts'])
    expect(loads[0]?.text.match(/^.*'classic-level'.*$/gm)).to.deep.equal([
      "import type { ClassicLevel } from 'classic-level'",
      "  const { ClassicLevel } = await import('classic-level')",
    ])
  })

  for (const { name, dependencies, devDependencies, sources } of packages) {
    const { uses, pure }: Rule = rules[name] ?? { uses: [], pure: true }
    const allowed = uses.map(used => `@snippets/${used}`)

    it(`lets ${name} depend on ${uses.length === 0 ? 'no other package here' : `no package here but ${uses.join(', ')}`}`, () => {
      expect(allowed).to.include.members([...dependencies, ...devDependencies].filter(ours))
      if (pure) expect(['fp-ts', 'io-ts', ...allowed]).to.include.members([...dependencies, ...devDependencies])
    })

    it(`lets ${name} import only its dependencies`, () => {
      const foreign = sources.flatMap(({ file, imports }) =>
        imports
          .filter(specifier => !specifier.startsWith('.'))
          .filter(specifier =>
            specifier.startsWith('node:')
              ? pure
              : ![...dependencies, ...(name === 'test' ? devDependencies : [])].includes(packageOf(specifier)),
          )
          .map(specifier => `${file}: ${specifier}`),
      )
      expect(foreign).to.deep.equal([])
    })

    it(`keeps the relative imports of ${name} inside its src`, () => {
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
