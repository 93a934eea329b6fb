import { memoizeRender } from '@snippets/adapters-http/response/memoized-render.js'
import { expect } from 'chai'

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
})
