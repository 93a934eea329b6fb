import { memoizeRender } from '@snippets/adapters-http/response/memoized-render.js'
import { snippetRepresentation } from '@snippets/adapters-http/response/snippet-representation.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { anId, draft } from '../support/snippets.js'

describe('A memoized render', () => {
  it('renders an item again only after a newer item has filled the memo', () => {
    const rendered: string[] = []
    const json = 'x'.repeat(3 * 1024 * 1024)
    const render = memoizeRender(({ name }: { name: string }) => {
      rendered.push(name)
      return { json, etag: name }
    })
    const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }] as const
    for (const item of [a, a, b, a, c, a, c]) expect(render(item)).to.deep.equal({ json, etag: item.name })
    expect(rendered).to.deep.equal(['a', 'b', 'c', 'a'])
  })

  it('gives all clients of a snippet the same text', () => {
    const snippet = firstVersion(anId(1n), draft())
    expect(snippetRepresentation.render(snippet)).to.equal(snippetRepresentation.render(snippet))
  })
})
