import { anyRevision } from '@snippets/domain/entities/revision.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { Document } from 'mongodb'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { aSearch, byId, firstPage } from '../support/queries.js'
import { draft, must, now } from '../support/snippets.js'

describeMongo('Scans in MongoDB', engine => {
  const { open, front: newFront } = mongoForEach(engine)

  const scans = {
    searches: { ordering: byId, window: makeWindow(1, 10), filter: { search: aSearch('nowhere') } },
    'deep pages': { ordering: byId, window: makeWindow(2000, 10), filter: {} },
  }

  for (const [name, query] of Object.entries(scans))
    it(`do not delay other operations: 70 ${name}`, async () => {
      const front = await newFront()
      const { snippets, users } = await open({ url: front.url })
      const { id } = must(await snippets.create(draft())())
      let release = (): void => {}
      const released = new Promise<undefined>(resolve => (release = () => resolve(undefined)))
      const isExpensive = ({ find, filter, skip }: Document) =>
        find === 'snippets' && (Number(skip) > 1000 || '$and' in filter)
      front.intercept(command => (isExpensive(command) ? released : undefined))
      const scanning = Array.from({ length: 70 }, () => snippets.page(query)())
      const results: Either<StorageError, unknown>[] = []
      for (let i = 0; i < 5; i++)
        results.push(
          ...(await Promise.all([
            snippets.get(id)(),
            snippets.page(firstPage())(),
            users.page(makeWindow(1, 10))(),
            snippets.update(id, {}, anyRevision, now)(),
            snippets.create(draft())(),
          ])),
        )
      release()
      expect(results.filter(isLeft)).to.deep.equal([])
      await Promise.all(scanning)
    })

  it('count after the page beside a cursor is read, so that a page takes one connection at a time', async () => {
    const front = await newFront()
    const { snippets, users } = await open({ url: front.url })
    const { id } = must(await snippets.create(draft())())
    const running: string[] = []
    let release = (): void => {}
    const released = new Promise<undefined>(resolve => (release = () => resolve(undefined)))
    front.intercept(({ find, count, aggregate }) => {
      running.push(...[find, count, aggregate].flatMap(collection => collection ?? []))
      return find === 'snippets' ? released : undefined
    })
    const reading = snippets.page({ ...firstPage(), seek: { side: 'before', position: { id } } })()
    // meanwhile a concurrent count would arrive
    for (let i = 0; i < 5; i++) must(await users.page(makeWindow(1, 10))())
    expect(running.filter(collection => collection === 'snippets')).to.have.length(1)
    release()
    must(await reading)
  })
})
