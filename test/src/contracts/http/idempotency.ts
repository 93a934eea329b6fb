import { randomUUID } from 'node:crypto'
import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { header, pageOf, problemOf, snippetOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { explicit, families, generated, type Sandbox } from './sandbox.js'

/** Tests POST with an Idempotency-Key, which can be retried. */
export const idempotency = ({ client, marker }: Sandbox): void => {
  const setUp = () => {
    const body = bodyOf({ language: marker() })
    const target = `${generated}?language=${encodeURIComponent(body.language)}`
    return {
      body,
      key: { 'Idempotency-Key': `key-${randomUUID()}` },
      count: async () => pageOf(await client().get(target)).count,
    }
  }

  for (const { path } of families)
    it(`POST ${path} with an Idempotency-Key creates once and replays the first response, also after a change and a delete`, async () => {
      const { body, key, count } = setUp()
      const first = await client().post(path, body, key)
      expect([first.status, first.headers['idempotency-replayed']]).to.deep.equal([201, undefined])
      const formattedDifferently = JSON.stringify({ x: [], ...body, id: 7 }, null, 2)
      const expectReplay = async () => {
        const again = await client().post(path, formattedDifferently, key)
        expect([again.status, again.text]).to.deep.equal([201, first.text])
        for (const name of ['Location', 'ETag', 'Content-Type'])
          expect(header(again, name)).to.equal(header(first, name))
        expect(header(again, 'Idempotency-Replayed')).to.equal('true')
      }
      await expectReplay()
      expect(await count()).to.equal(1)
      const target = `${path}${snippetOf(first).id}/`
      await client().put(target, { ...body, title: 'changed' })
      await expectReplay()
      expect(snippetOf(await client().get(target)).title).to.equal('changed')
      await client().delete(target)
      await expectReplay()
      expect(await count()).to.equal(0)
    })

  it('An Idempotency-Key is rejected with 422 when a field differs, and creates nothing', async () => {
    const { body, key, count } = setUp()
    await client().post(explicit, body, key)
    for (const other of contentFieldNames.map(field => ({ [field]: marker() }))) {
      const { type, status } = problemOf(await client().post(explicit, { ...body, ...other }, key))
      expect([type, status]).to.deep.equal(['urn:snippets:idempotency-key-reused', 422])
    }
    expect(await count()).to.equal(1)
  })

  it('An Idempotency-Key has 1 to 255 visible ASCII characters', async () => {
    const { body, count } = setUp()
    const send = (key: string) => client().post(explicit, body, { 'Idempotency-Key': key })
    for (const key of [`"!#${randomUUID()},~"`, randomUUID().padEnd(255, 'x')]) {
      const { id } = snippetOf(await send(key))
      expect(snippetOf(await send(key)).id).to.equal(id)
    }
    for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) {
      const { status, detail } = problemOf(await send(key))
      expect(status).to.equal(400)
      expect(detail).to.contain('1 to 255 visible ASCII characters').and.not.to.contain('xxxxx')
    }
    expect(await count()).to.equal(2)
  })
}
