import { getPage } from '../clients/requests.js'
import type { UploadInput } from '../clients/upload.js'
import { type Context, type Finding, rounded, type Scenario } from '../scenario.js'
import { growthDuring, growthFindings, smallSnippets } from './growth.js'

type Bodies = Omit<UploadInput, 'port' | 'ms'>

const growthByUpload = (context: Context, bodies: Bodies) =>
  growthDuring(context, {
    snippets: smallSnippets,
    warmUp: [getPage(100)],
    attack: async ({ port }) => {
      const output = await context.client('upload', { ...bodies, port, ms: Math.min(context.ms, 60_000) })
      const statuses = Object.entries(output.statuses).map(([status, count]) => `${count} x ${status}`)
      const answered: Finding = {
        goal: 'every body is answered',
        measured: `${output.unanswered} without an answer`,
        met: output.unanswered === 0,
      }
      return {
        note: `${rounded(output.megabytes)} MB sent, ${statuses.join(', ')}, ${output.unanswered} without an answer`,
        others: [answered],
      }
    },
  })

const head = (method: string, framing: string): string =>
  `${method} /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`

const inChunks = (text: string): string => Array.from(text, letter => `1\r\n${letter}\r\n`).join('')

/** A valid body of nearly 256 KB, most of it white space. */
export const smallChunks: Scenario = {
  name: 'small-chunks',
  run: async context => {
    const growth = await growthByUpload(context, {
      connections: 60,
      head: head('POST', 'Transfer-Encoding: chunked'),
      piece: inChunks(' '.repeat(10_000)),
      pieces: 26,
      last: `${inChunks('{"title":"t","code":"c","language":"l"}')}0\r\n\r\n`,
    })
    return growthFindings(growth, '60 bodies of 256 KB in chunks of one byte', 40)
  },
}

export const ignoredBodies: Scenario = {
  name: 'ignored-bodies',
  run: async context => {
    const growth = await growthByUpload(context, {
      connections: 200,
      head: head('GET', 'Content-Length: 10000000').replace('/api/snippets/', '/api/snippets-viewset/'),
      piece: 'x'.repeat(100_000),
      pieces: 100,
      last: '',
    })
    return growthFindings(growth, '200 GETs with bodies of 10 MB', 30)
  },
}
