import { publicApp } from '@snippets/apps/public-app.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { openStorage } from '@snippets/apps/storage.js'
import { expect } from 'chai'
import { must } from '../support/snippets.js'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe('What the listener refuses by itself', () => {
  const refusalsOf = async (environment: Environment) => {
    const settings = must(readSettings(environment))
    const storage = await openStorage(settings, log, undefined)
    return (await publicApp(settings, { storage, log, tokens: undefined, observe: undefined })).refusals
  }

  it('has the headers of CORS where CORS_ORIGINS is set', async () => {
    expect(await refusalsOf({ CORS_ORIGINS: 'https://a.example' })).to.have.keys('headersFor', 'preflightHeaders')
  })

  it('has none where it is not', async () => {
    expect(await refusalsOf({})).to.deep.equal({})
  })
})
