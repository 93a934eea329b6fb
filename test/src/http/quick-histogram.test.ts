import { createMetrics, type Metrics } from '@snippets/adapters-http/admin/metrics.js'
import { QuickHistogram } from '@snippets/adapters-http/admin/quick-histogram.js'
import { expect } from 'chai'

describe('The histogram of operations', () => {
  let metrics: Metrics
  const observe = (operation: string, seconds: number) =>
    metrics.observeOperation({ operation, outcome: 'ok', seconds })
  const lines = async (operation: string): Promise<readonly string[]> => {
    const text = await metrics.registry.metrics()
    return text
      .split('\n')
      .filter(line => line.includes(`{operation="${operation}",`) || line.includes(`,operation="${operation}",`))
  }
  beforeEach(() => {
    metrics = createMetrics()
  })

  it('counts each value in every bucket that is not below it', async () => {
    for (const seconds of [0, 0.001, 0.0011, 5, 7]) observe('a', seconds)
    const shown = await lines('a')
    const counts = shown.map(line => line.replace(/^\w+_(\w+)\{(le="(.*?)")?.*\} (.*)$/, '$1 $3 $4'))
    expect(counts).to.deep.equal([
      ...['bucket 0.0001 1', 'bucket 0.001 2', 'bucket 0.0025 3', 'bucket 0.005 3', 'bucket 0.01 3', 'bucket 0.025 3'],
      ...['bucket 0.05 3', 'bucket 0.1 3', 'bucket 0.25 3', 'bucket 0.5 3', 'bucket 1 3', 'bucket 2.5 3', 'bucket 5 4'],
      ...['bucket +Inf 5', 'sum  12.0021', 'count  5'],
    ])
  })

  it('begins anew when metrics are reset', async () => {
    observe('a', 1)
    metrics.registry.resetMetrics()
    expect(await lines('a')).to.deep.equal([])
  })

  it('refuses what prom-client would count and never show', () => {
    const histogram = new QuickHistogram({ name: 'a', help: 'b', buckets: [1], registers: [] })
    expect(() => histogram.observe(1)).to.throw('QuickHistogram only counts')
  })

  it('keeps other labels apart', async () => {
    observe('a', 1)
    observe('b', 2)
    observe('b', 2)
    expect((await lines('a')).at(-1)).to.match(/_count\{.*\} 1$/)
    expect((await lines('b')).at(-1)).to.match(/_count\{.*\} 2$/)
  })

  it('is added up over workers, with its labels', async () => {
    observe('a', 1)
    const all = await metrics.registry.getMetricsAsJSON()
    const histogram = all.find(({ name }) => name === 'storage_operation_duration_seconds')
    expect(histogram).to.include({ type: 'histogram', aggregator: 'sum' })
    expect(histogram?.values.at(-1)).to.deep.include({ value: 1, labels: { operation: 'a', outcome: 'ok' } })
    expect(histogram?.values[0]?.labels).to.deep.equal({ le: 0.0001, operation: 'a', outcome: 'ok' })
  })
})
