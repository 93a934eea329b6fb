import { fill } from '../commands/bench/rows.js'
import { checkResponses, scripts } from '../commands/bench/servers.js'
import { type MeasuredProcess, startMeasured } from '../commands/measuring/measured-process.js'

describe('The peers of the benchmark', function () {
  this.timeout(60_000)
  const servers: MeasuredProcess[] = []
  after(() => Promise.all(servers.map(server => server.end('SIGKILL'))))

  it('return the same as the service if they do the same work', async () => {
    for (const script of Object.values(scripts).slice(2)) servers.push(await startMeasured({ script }))
    for (const server of servers) await fill(server, 1, 200)
    await checkResponses(servers)
  })
})
