import { expect } from 'chai'
import { header, problemOf, type ShownProblem } from '../../support/http/representations.js'
import { explicit, families, generated, type Workspace } from './workspace.js'

/** Error responses (RFC 9457). */
export const problems = ({ client, deletedSnippet, create }: Workspace): void => {
  describe('A problem', () => {
    const refusals = {
      'an unknown path': async () => client().get('/nowhere/'),
      'an unknown snippet': async () => client().get(await deletedSnippet(generated)),
      'a method that is not allowed': async () => client().delete(explicit),
      'a body of the wrong Content-Type': async () => client().post(explicit, '{}', { 'Content-Type': 'text/plain' }),
      'a body that is not JSON': async () => client().post(explicit, '{'),
      'a body with invalid fields': async () => client().post(explicit, {}),
      'an unknown parameter': async () => client().get(`${generated}?x=1`),
      'a failed precondition': async () =>
        client().delete(`${generated}${(await create()).id}/`, { 'If-Match': '"x"' }),
      'a body that is too large': async () => client().post(explicit, ' '.repeat(262_145)),
    }
    for (const [what, refuse] of Object.entries(refusals))
      it(`has type, title, status and detail for ${what}`, async () => {
        const answer = await refuse()
        expect(header(answer, 'Content-Type')).to.equal('application/problem+json')
        const problem = problemOf(answer)
        expect(Object.keys(problem).slice(0, 4)).to.deep.equal(['type', 'title', 'status', 'detail'])
        expect(problem.type).to.match(/^urn:snippets:[a-z-]+$/)
        expect(problem.status).to.equal(answer.status)
        expect(problem.title).to.match(/^[A-Z]/)
        expect(problem.detail).not.to.equal('')
        expect(problem.errors !== undefined).to.equal(answer.status === 400)
      })

    it('never echoes a long value', async () => {
      const long = 'Q'.repeat(5000)
      const answers = [
        await client().get(`/api/${long}/`),
        await client().get(`${explicit}${long}/`),
        await client().get(`${generated}?${long}=1`),
        await client().get(`${generated}?ordering=${long}`),
        await client().get(`${explicit}?language${long}=1`),
        await client().get(`${generated}?page=${long}`),
        await client().get(`${generated}?%zz${long}`),
        await client().post(explicit, { title: long, language: long, [long]: long }),
        await client().post(explicit, { [`title${long}`]: 't', code: 'c', language: 'l' }),
        await client().post(explicit, `{${long}`),
        await client().post(explicit, `{"${long}`),
        await client().post(explicit, '{}', { 'Content-Type': `text/${long}` }),
        await client().post(explicit, '{}', { 'Content-Encoding': long }),
        await client().delete(await deletedSnippet(explicit), { 'If-Match': `"${long}"` }),
      ]
      for (const { status, text } of answers) {
        expect(status).to.be.within(400, 499)
        expect(text).not.to.match(/Q{100}/)
      }
    })
  })

  describe('The detail of a problem', () => {
    const { get, post, put, patch } = verbsOf(client)
    const whole = { title: 't', code: 'c', language: 'l' }

    for (const { path } of families)
      it(`names the snippet that is missing under ${path}`, async () => {
        const target = await deletedSnippet(path)
        const missing = { type: 'urn:snippets:not-found', detail: `There is no snippet ${target.split('/').at(-2)}.` }
        expect(await get(target)).to.include(missing)
        expect(await put(target, whole)).to.include(missing)
        expect(problemOf(await client().delete(target))).to.include(missing)
        if (path === generated) expect(await patch(target, {})).to.include(missing)
      })

    it('names the user that is missing', async () => {
      expect((await get('/api/users/9223372036854775807/')).detail).to.equal('There is no user 9223372036854775807.')
    })

    it('says what an id is where the path has none', async () => {
      const { type, detail } = await get(`${explicit}01/`)
      expect(type).to.equal('urn:snippets:not-found')
      expect(detail).to.contain('a whole number from 1 to 9223372036854775807')
    })

    for (const path of ['/', '/api/', '/api', '/nowhere/'])
      it(`names the paths that exist for ${path}, and links to the schema`, async () => {
        const answer = await client().get(path)
        const { type, detail } = problemOf(answer)
        expect(type).to.equal('urn:snippets:unknown-path')
        for (const known of [explicit, generated, '/api/users/', '/api/schema/']) expect(detail).to.contain(known)
        expect(header(answer, 'Link')).to.match(/<[^>]*\/api\/schema\/>; rel="service-desc"/)
      })

    for (const [sent, taken] of [
      ['language', 'language'],
      ['langage', 'language'],
      ['title', 'title'],
      ['ordering', 'ordering'],
      ['page', 'page'],
      ['page_size', 'page_size'],
    ])
      it(`leads from ?${sent}= on ${explicit} to the list that takes it`, async () => {
        const { errors } = await get(`${explicit}?${sent}=x`)
        expect(errors?.map(({ message }) => message)).to.deep.equal([
          `${sent} is not a parameter: this list takes no parameters; ${generated} takes ${taken}`,
        ])
      })

    it('says that a parameter has no name', async () => {
      const { errors } = await get(`${generated}?=x`)
      expect(errors).to.deep.equal([{ parameter: '', code: 'unknown', message: 'a parameter has no name' }])
    })

    for (const [key, field] of [
      ['titel', 'title'],
      ['Title', 'title'],
      ['lang', 'language'],
      ['codes', 'code'],
    ] as const)
      it(`asks whether "${field}" was meant by "${key}"`, async () => {
        const { [field]: value, ...others } = whole
        const body = { ...others, [key]: value }
        for (const ask of [() => post(explicit, body), () => put(`${generated}1/`, body)]) {
          const { errors } = await ask()
          const message = `${field} is required; did you mean "${field}" instead of "${key}"?`
          expect(errors).to.deep.equal([{ field, code: 'required', message }])
        }
      })

    it('asks nothing about an unknown field that is not like a missing one', async () => {
      const { errors } = await post(explicit, { code: 'c', language: 'l', languages: 'l', x: 1 })
      expect(errors).to.deep.equal([{ field: 'title', code: 'required', message: 'title is required' }])
    })

    for (const [body, place] of [
      ['{"title":"t",}', 'see line 1, column 14'],
      ['{\n  "title": "t"\n  "code": "c"\n}', 'see line 3, column 3'],
      ['{"title":"😀" x', 'see line 1, column 14'],
      ['\ufeff{"title" "t"}', 'see line 1, column 10'],
      ['{"title":"t"', 'it ends too early, at line 1, column 13'],
    ] as const)
      it(`says where ${JSON.stringify(body)} goes wrong`, async () => {
        const { detail, errors } = await post(generated, body)
        expect(detail).to.equal(`the body is not valid JSON: ${place}`)
        expect(errors?.map(({ code }) => code)).to.deep.equal(['json'])
      })
  })
}

const verbsOf = (client: Workspace['client']) => ({
  get: async (target: string): Promise<ShownProblem> => problemOf(await client().get(target)),
  post: async (target: string, body: unknown): Promise<ShownProblem> => problemOf(await client().post(target, body)),
  put: async (target: string, body: unknown): Promise<ShownProblem> => problemOf(await client().put(target, body)),
  patch: async (target: string, body: unknown): Promise<ShownProblem> => problemOf(await client().patch(target, body)),
})
