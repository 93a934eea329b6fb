import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { importing, type ServiceProcess, startProcess } from '../support/service/child-process.js'

/** Node.js options under which this happens when koa-bodyparser is looked for. */
const whenLoading = (statement: string): Environment => {
  const hooks = `export const resolve = async (name, context, next) => {
    if (name === 'koa-bodyparser') ${statement}
    return next(name, context)
  }`
  const module = `data:text/javascript,${encodeURIComponent(hooks)}`
  return { NODE_OPTIONS: importing(`import { register } from 'node:module'; register(${JSON.stringify(module)})`) }
}

describe('The body parser, which is loaded when the service listens', () => {
  let service: ServiceProcess | undefined
  afterEach(async () => {
    service?.kill('SIGKILL')
    await service?.ended
    service = undefined
  })

  it('ends the process when it cannot be loaded', async () => {
    service = await startProcess(whenLoading(`throw new Error('no such package')`))
    const { code, stderr } = await service.ended
    expect(code).to.equal(1)
    const { level, err } = JSON.parse(stderr)
    expect({ level, message: err.message }).to.deep.equal({ level: 60, message: 'no such package' })
  })

  for (const length of [10, 100_000])
    it(`gets a body of ${length} characters and more that came before it was loaded`, async () => {
      service = await startProcess(whenLoading('await new Promise(loaded => setTimeout(loaded, 500))'))
      const title = 'sent early'
      const response = await fetch(`${service.url}/api/snippets/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ignored: 'x'.repeat(length), title, code: 'x', language: 'c' }),
      })
      expect(response.status).to.equal(201)
      expect(await response.json()).to.include({ title, code: 'x', language: 'c' })
    })
})
