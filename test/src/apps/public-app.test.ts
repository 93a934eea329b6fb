import { publicApp } from '@snippets/apps/public-app.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { openStorage } from '@snippets/apps/storage.js'
import { expect } from 'chai'
import { must } from '../support/snippets.js'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, writeLine: () => {} }

describe('What the listener refuses by itself', () => {
  const refusalsOf = async (environment: Environment) => {
    const settings = must(readSettings(environment))
    const storage = await openStorage(settings, log, undefined)
    return (await publicApp(settings, { storage, log, tokens: undefined, observe: undefined })).refusals
  }

  it('has the headers of CORS where CORS_ORIGINS is set', async () => {
    expect(await refusalsOf({ CORS_ORIGINS: 'https://a.example' })).to.include.keys('headersFor', 'preflightHeaders')
  })

  it('has none where it is not', async () => {
    expect(await refusalsOf({})).to.not.have.any.keys('headersFor', 'preflightHeaders')
  })

  it('is observed for the access log at info and below, and not where nobody would see a line', async () => {
    for (const LOG_LEVEL of ['info', 'debug', 'trace']) expect(await refusalsOf({ LOG_LEVEL })).to.have.keys('observe')
    for (const LOG_LEVEL of ['warn', 'error', 'fatal', 'silent'])
      expect(await refusalsOf({ LOG_LEVEL }), LOG_LEVEL).to.deep.equal({})
    expect(await refusalsOf({ ACCESS_LOG: 'off' })).to.deep.equal({})
  })
})
