import { until } from '../clients/timing.js'
import { atMost, none, type Scenario } from '../scenario.js'

const connections = 2000

/** An honest client beside 2,000 connections that are silent, drip, or read slowly. */
export const slowClients: Scenario = {
  name: 'slow-clients',
  run: async ({ start, client, ms: most }) => {
    const service = await start()
    try {
      const { port, adminPort } = service
      await client('fill', { port, ms: 10_000, count: 200, code: 200 })
      const ms = Math.min(20_000, most)
      let isCrowded = false
      const crowd = client('crowd', { port, ms: ms + 3000, connections }, () => {
        isCrowded = true
      })
      await until(() => isCrowded, 20_000)
      const asked = { ms, everyMs: 10 }
      const [page, live] = await Promise.all([
        client('honest', { ...asked, port, target: '/api/snippets-viewset/?page_size=10' }),
        client('honest', { ...asked, port: adminPort, target: '/livez', everyMs: 250 }),
      ])
      const { closedByService } = await crowd
      const note = ` (${page.count} requests, median ${page.p50.toFixed(1)} ms; the service closed ${closedByService} of the slow connections)`
      return [
        atMost(`${connections} slow connections: p99 of an honest client`, page.p99, 50, ' ms', note),
        none('honest requests without a 200', page.failed),
        atMost('/livez', live.worst, 250, ' ms'),
      ]
    } finally {
      await service.stop()
    }
  },
}
