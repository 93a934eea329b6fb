import { expect } from 'chai'
import { packages } from './workspace.js'

const sources = packages.filter(({ name }) => name !== 'test').flatMap(package_ => package_.sources)

/** What Node, V8 and the compiler do not document, or what takes a library's object for something else. */
const undocumented = [
  /\bsocket\??\.parser\b/,
  /\{[^{}]*\bparser\b[^{}]*\} = [\w.]*socket\b/,
  /\bonIncoming\b/,
  /\b_header\b/,
  /\b_dumped\b/,
  /\bshouldKeepAlive\b/,
  /\bhttpAllowHalfOpen\b/,
  /\bNetServer\.prototype\b/,
  /\bsetFlagsFromString\b/,
  /\bas unknown as\b/,
  /\.binding\(/,
]

describe('What the sources lean on', () => {
  it('is documented', () => {
    const found = sources.flatMap(({ file, text }) =>
      undocumented.filter(name => name.test(text)).map(name => `${file}: ${name.source}`),
    )
    expect(found).to.deep.equal([])
  })

  it('would be found', () => {
    const bad = ['socket.parser.onIncoming', 'const { parser } = req.socket', 'x as unknown as Y', 'res._header']
    for (const text of bad) expect(undocumented.some(name => name.test(text))).to.equal(true)
  })

  it('is the server room of adapters-http only in apps', () => {
    const importers = sources.filter(({ file, imports }) =>
      file.startsWith('adapters-http/')
        ? !file.startsWith('adapters-http/src/server/') && imports.some(name => name.includes('/server/'))
        : imports.some(name => name.startsWith('@snippets/adapters-http/server/')),
    )
    expect(importers.length).to.be.greaterThan(0)
    expect(importers.filter(({ file }) => !file.startsWith('apps/')).map(({ file }) => file)).to.deep.equal([])
  })
})
