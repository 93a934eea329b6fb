import { memoizeRender } from '@snippets/adapters-http/response/memoized-render.js'
import { snippetRepresentation } from '@snippets/adapters-http/response/snippet-representation.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { anId, draft } from '../support/snippets.js'

describe('A memoized render', () => {
  const namedItem = (name: string) => ({ name })
  const [a, b, c] = [namedItem('a'), namedItem('b'), namedItem('c')] as const

  const recordingRender = (json: string) => {
    const rendered: string[] = []
    const render = memoizeRender(({ name }: typeof a) => {
      rendered.push(name)
      return { json, etag: name }
    })
    return { render, rendered }
  }

  it('remembers a text from its second rendering until newer texts have filled the memo', () => {
    const json = 'x'.repeat(3 * 1024 * 1024)
    const { render, rendered } = recordingRender(json)
    for (const item of [a, a, a, b, b, a, b, c, c, c, a]) expect(render(item)).to.deep.equal({ json, etag: item.name })
    expect(rendered).to.deep.equal(['a', 'a', 'b', 'b', 'c', 'c', 'a'])
  })

  it('forgets an item after many items that were rendered once', () => {
    const { render, rendered } = recordingRender('')
    render(a)
    for (let count = 0; count < 200_000; count++) render(namedItem('once'))
    for (let count = 0; count < 3; count++) render(a)
    expect(rendered.filter(name => name === 'a')).to.have.length(3)
  })

  it('gives all clients that repeat a request for a snippet the same text', () => {
    const snippet = firstVersion(anId(1n), draft())
    const [, second, third] = [snippet, snippet, snippet].map(snippetRepresentation.render)
    expect(second).to.equal(third)
  })
})
