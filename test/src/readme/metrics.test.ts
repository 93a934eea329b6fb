import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMetrics } from '@snippets/adapters-http/admin/metrics.js'
import { storageOutcomes } from '@snippets/apps/observed-storage.js'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'
import { codeSpans } from './documents.js'

describe('docs/operating.md', () => {
  let section: string
  before(async () => {
    const page = await readFile(join(root, 'docs/operating.md'), 'utf8')
    section = page.split('\n## Admin pages\n')[1]?.split('\n## ')[0] ?? ''
  })

  it('names every metric that is not a default one of Node.js, and no other', async () => {
    const metrics = createMetrics()
    const shown = [...(await metrics.registry.metrics()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
    const own = shown.filter(name => !/^(process|nodejs)_/.test(name ?? ''))
    const shownByApps = ['http_unsent_bytes', 'memory_storage_bytes', 'memory_storage_limit_bytes']
    const named = [...section.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name)
    expect(named).to.have.members([...own, ...shownByApps])
  })

  it('names every outcome of a storage operation', () => {
    const [, outcomes = ''] = /`storage_operation_duration_seconds`.*`outcome`:(.*)/.exec(section) ?? []
    expect(codeSpans(outcomes)).to.have.members([...storageOutcomes])
  })
})
