import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { owned } from '../../support/owned-child.js'
import { replyTo } from '../measuring/reply-to.js'
import { median, quantile } from '../measuring/statistics.js'
import { createScan } from './load/response-scan.js'
import { rotated, type Sample } from './measure-rows.js'
import { compareSides } from './mongo/compare-sides.js'
import { readOptions } from './options.js'
import { chart } from './results/chart.js'
import { resultsOf } from './results/ratios.js'
import { mongoTable, processTable, ratioTable } from './results/tables.js'
import { between } from './results/write-results.js'
import { rows } from './rows.js'
import { differenceIn } from './servers/check-answers.js'
import { coresIn } from './servers/cores.js'
import { TrivialStore } from './servers/trivial-store.js'

const sample = (server: string, round: number, cpuMicroseconds: number): Sample => ({
  row: 'detail',
  server,
  round,
  cpuMicroseconds,
  p50: 1,
  p99: 2,
  perSecond: 1000,
})

const samples = [
  sample('node', 1, 10),
  sample('own', 1, 20),
  sample('node', 2, 12),
  sample('own', 2, 16),
  sample('node', 3, 30),
  sample('own', 3, 50),
]
const named = (name: string) => ({ name, title: `The ${name}`, isOwn: name === 'own' })

describe('The bench', () => {
  describe('reads its arguments and', () => {
    const known = { rows: ['detail', 'page'], servers: ['node', 'own', 'extra'], usualServers: ['node', 'own'] }
    const defaults = { rounds: 12, requests: undefined, snippets: 10_000, write: false }

    it('measures every row on the usual servers by default', () => {
      expect(readOptions([], known)).to.deep.include({
        right: { ...defaults, rows: known.rows, only: known.usualServers },
      })
    })

    it('takes rows, servers and numbers', () => {
      const args = ['--rows', 'page', '--only', 'node,extra', '--rounds', '2', '--requests', '5', '--write']
      expect(readOptions(args, known)).to.deep.include({
        right: { ...defaults, rows: ['page'], only: ['node', 'extra'], rounds: 2, requests: 5, write: true },
      })
    })

    for (const [args, why] of [
      [['--rows', 'pages'], 'There is no row pages, only detail, page.'],
      [['--only', 'nginx'], 'There is no server nginx, only node, own, extra.'],
      [['--rounds', '0'], '--rounds must be a whole number above 0.'],
      [['--requests', 'x'], '--requests must be a whole number above 0.'],
    ] as const)
      it(`refuses ${args.join(' ')}`, () => {
        expect(readOptions(args, known)).to.deep.equal(left(why))
      })
  })

  it('takes the median and quantiles', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(median([4, 1, 2, 3])).to.equal(2.5)
    expect(quantile([5, 1, 4, 2, 3], 0.99)).to.equal(5)
    expect(quantile([5, 1, 4, 2, 3], 0.4)).to.equal(2)
  })

  it('compares the CPU of a server with that of the limit in the same round', () => {
    const [limit, own] = resultsOf(samples, 'node')
    expect(limit?.ratio).to.deep.equal({ median: 1, min: 1, max: 1 })
    expect(own?.ratio).to.deep.equal({ median: 0.6, min: 0.5, max: 0.75 })
    expect(own?.cpuMicroseconds).to.equal(20)
  })

  it('prints a ratio with its range, and nothing for what it did not measure', () => {
    const table = ratioTable([named('detail'), named('page')], [named('own')], resultsOf(samples, 'node'))
    expect(table.split('\n')).to.deep.equal([
      '|  | The own |',
      '| --- | --- |',
      '| The detail | 0.60 <sub>0.50 to 0.75</sub> |',
      '| The page |  |',
    ])
  })

  it('prints how a process starts and what it holds', () => {
    const starts = [{ server: 'own', firstAnswerMs: 249.6, idleMegabytes: 64.4 }]
    const table = processTable([named('own'), named('node')], starts, new Map([['node', 70]]))
    expect(table).to.contain('| The own | 250 ms | 64 MB |  |').and.to.contain('| The node |  |  | 70 MB |')
  })

  it('prints what the service costs on MongoDB', () => {
    const adapter = {
      ratio: { median: 1.1, min: 1, max: 1.2 },
      adapterMicroseconds: 220.4,
      bareMicroseconds: 200,
    }
    const result = { row: 'detail', ratio: { median: 0.5, min: 0.4, max: 0.6 }, commandsPerRequest: 0.05, adapter }
    const line = '| The detail | 0.50 <sub>0.40 to 0.60</sub> | 0.05 |'
    expect(mongoTable([named('detail')], [result])).to.contain(line)
    expect(mongoTable([named('detail')], [result])).to.contain(
      '| The detail | 1.10 <sub>1.00 to 1.20</sub> | 220, 200 |',
    )
  })

  it('compares adapter and driver in turns, without the rounds that warm up', async () => {
    const sides: string[] = []
    const compared = await compareSides('detail', 100, async ({ side, round }) => {
      sides.push(side)
      return round <= 15 ? 1000 : side === 'bare' ? 100 : round === 39 ? 90 : 30
    })
    expect(compared.ratio).to.deep.equal({ median: 0.3, min: 0.3, max: 0.9 })
    expect(compared).to.include({ adapterMicroseconds: 30, bareMicroseconds: 100 })
    expect(sides.slice(0, 4)).to.deep.equal(['bare', 'adapter', 'adapter', 'bare'])
    expect(sides).to.have.length(78)
  })

  it('draws a bar as long as the ratio', () => {
    const drawn = chart([named('detail')], [named('own')], resultsOf(samples, 'node'))
    // of 590, from the left edge of the bars to where the limit is
    expect(drawn).to.contain('width="354"').and.to.contain('>0.60</text>')
  })

  it('replaces only what stands between the marks of a page', () => {
    const page = 'before\n<!-- written by npm run bench -->\nold\n<!-- end -->\nafter\n'
    expect(between(page, 'new')).to.equal(page.replace('\nold\n', '\n\nnew\n\n'))
    expect(() => between('no marks', 'new')).to.throw('has no <!--')
  })

  it('begins each round with another server', () => {
    expect(rotated(['a', 'b', 'c'], 4)).to.deep.equal(['b', 'c', 'a'])
    expect(rotated([], 1)).to.deep.equal([])
  })

  it('reads lists of cores', () => {
    expect(coresIn('0-2,8')).to.deep.equal([0, 1, 2, 8])
    expect(coresIn('3')).to.deep.equal([3])
  })

  describe('finds the end of a response', () => {
    const responses = {
      'with a length': 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
      'with chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'without a body': 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    }
    for (const [what, response] of Object.entries(responses))
      it(`${what}, wherever it is cut`, () => {
        const bytes = Buffer.from(response)
        for (let at = 1; at <= bytes.length; at++) {
          const scan = createScan()
          const pieces = [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0)
          const statuses = [...pieces, ...pieces].map(piece => scan.add(piece, piece.length))
          const status = Number(response.slice(9, 12))
          expect(statuses, String(at)).to.deep.equal(pieces.length === 1 ? [status, status] : [0, status, 0, status])
        }
      })
  })

  describe('checks that the servers', () => {
    const [row] = rows
    if (row === undefined) throw new Error('there are no rows')
    const answer = (server: string, status: number, body: string) => ({ server, status, body })

    it('answer alike', () => {
      expect(differenceIn(row, [answer('a', 200, 'x'), answer('b', 200, 'x')])).to.equal(undefined)
      expect(differenceIn(row, [answer('a', 200, 'x'), answer('b', 200, 'y')])).to.contain(
        'b and a answered differently',
      )
    })

    it('answer with the status of the row', () => {
      expect(differenceIn(row, [answer('a', 404, '')])).to.contain('a answered 404 to detail, not 200')
    })
  })

  it('compares with a store that has the newest of a language first', () => {
    const store = new TrivialStore()
    for (let i = 1; i <= 25; i++) store.create({ title: `t${i}`, code: 'c', language: i % 2 === 0 ? 'even' : 'odd' })
    const page = (number: number) =>
      store.page({ language: 'even', ordering: '-created_at', page: number, size: 10 }).items.map(({ id }) => id)
    expect(page(1)).to.deep.equal([24, 22, 20, 18, 16, 14, 12, 10, 8, 6])
    expect(page(2)).to.deep.equal([4, 2])
    expect(page(3)).to.deep.equal([])
    expect(store.update(4, { title: 'changed' })).to.include({ title: 'changed', code: 'c', version: 2 })
    expect(store.update(26, { title: 'changed' })).to.equal(undefined)
  })

  it('reports a process that ends without a reply', async () => {
    const script = `process.once('message', () => process.exit(3))`
    const child = owned(spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }))
    const faultOf = () => replyTo(child, {}).catch((error: Error) => error.message)
    expect(await faultOf()).to.equal('the process ended without a reply')
    expect(await faultOf()).to.equal('Channel closed')
  })

  it('measures every row of this service and of node:http, which answer alike', async function () {
    if (!existsSync('/proc/self/schedstat')) return this.skip()
    this.timeout(60_000)
    const command = fileURLToPath(new URL('../bench.js', import.meta.url))
    const names = rows.map(({ name }) => name)
    const args = ['--only', 'node,snippets', '--rows', names.join(','), '--requests', '200', '--rounds', '1']
    // without MONGODB_URL, as the bench would measure on that too
    const env = { PATH: process.env.PATH }
    const child = owned(
      spawn(process.execPath, [command, ...args, '--snippets', '250'], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect(child.exitCode, errors).to.equal(0)
    for (const { title } of rows)
      expect(output).to.match(new RegExp(`^\\| ${title} \\| 1\\.00 .* \\| \\d+\\.\\d\\d `, 'm'))
  })
})
