import { memoizeRender } from '@snippets/adapters-http/response/memoized-render.js'
import { snippetRepresentation } from '@snippets/adapters-http/response/snippet-representation.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { bodyOf } from '../support/samples.js'
import { startInProcess } from '../support/service/in-process.js'
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

  it('does not remember a snippet that a client has just written', async () => {
    let reads = 0
    const snippet = firstVersion(anId(1n), draft())
    const written = {
      ...snippet,
      get title() {
        reads++
        return snippet.title
      },
    }
    const write = () => TE.right(written)
    const { client, stop } = await startInProcess({ store: memory => ({ ...memory, create: write, update: write }) })
    for (const path of ['/api/snippets/', '/api/snippets-viewset/']) {
      await client.post(path, bodyOf())
      await client.put(`${path}1/`, bodyOf())
    }
    await client.patch('/api/snippets-viewset/1/', {})
    await stop()
    expect(reads).to.equal(5)
    for (const _ of ['first read', 'second read']) snippetRepresentation.render(written)
    expect(reads).to.equal(6)
  })
})
