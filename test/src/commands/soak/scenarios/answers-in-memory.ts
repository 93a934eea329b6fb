import { getPage } from '../clients/requests.js'
import { isSoWithin, until } from '../clients/timing.js'
import { atMost, type Context, type Finding, rounded, type Scenario } from '../scenario.js'
import {
  growthDuring,
  growthFindings,
  heavyList,
  heavyPage,
  heavySnippets,
  manySnippets,
  smallSnippets,
} from './growth.js'

type Ask = Readonly<{ connections: number; request: string; repeats: number; readsAfterMs: number | 'never' }>

/** Clients that ask for more than they read for now. */
const growthByHunger = (context: Context, ask: Ask, snippets: Parameters<typeof growthDuring>[1]['snippets']) =>
  growthDuring(context, {
    snippets,
    warmUp: [ask.request],
    attack: async ({ port }) => {
      const output = await context.client('hungry', { ...ask, port, ms: Math.min(context.ms, 60_000) })
      const asked = ask.connections * ask.repeats
      return {
        note: `${output.answers} of ${asked} answers, ${output.shed} of them 503, ${rounded(output.megabytes)} MB`,
        others: [
          {
            goal: 'all are served',
            measured: `${output.answers} of ${asked}, ${output.shed} with 503, the service closed ${output.closed} connections`,
            met: output.answers === asked && output.shed === 0,
          },
        ],
      }
    },
  })

export const pipelining: Scenario = {
  name: 'pipelining',
  run: async context => {
    const ask = { connections: 100, request: getPage(10), repeats: 1000, readsAfterMs: 2000 }
    return growthFindings(
      await growthByHunger(context, ask, smallSnippets),
      '100 connections x 1,000 pipelined pages',
      60,
    )
  },
}

export const largePages: Scenario = {
  name: 'large-pages',
  run: async context => {
    const repeats = Math.floor(12_000 / heavyPage.length)
    const ask = { connections: 1, request: heavyPage, repeats, readsAfterMs: 3000 }
    const growth = await growthByHunger(context, ask, heavySnippets)
    return growthFindings(growth, `${repeats} pipelined GETs (12 KB) of a page of 6 MB`, 60)
  },
}

export const listReaders: Scenario = {
  name: 'list-readers',
  run: async context => {
    const ask = { connections: 50, request: heavyList, repeats: 1, readsAfterMs: 0 }
    return growthFindings(await growthByHunger(context, ask, manySnippets), '50 readers of a list of 60 MB', 60)
  },
}

const evictionMs = 30_000

export const nonReaders: Scenario = {
  name: 'non-readers',
  run: async context => {
    let evicted: Finding | undefined
    const growth = await growthDuring(context, {
      snippets: heavySnippets,
      warmUp: [heavyPage],
      attack: async ({ port, openFiles }) => {
        const before = openFiles()
        const ms = Math.min(context.ms, evictionMs + 5000)
        const ask = { connections: 300, request: heavyPage, repeats: 1, readsAfterMs: 'never' as const }
        let begun = 0
        const clients = context.client('hungry', { ...ask, port, ms }, () => {
          begun = performance.now()
        })
        await until(() => begun > 0, 10_000)
        await isSoWithin(() => openFiles() <= before, ms)
        const seconds = (performance.now() - begun) / 1000
        const left = Math.max(0, openFiles() - before)
        evicted = atMost('300 non-readers: evicted after', seconds, evictionMs / 1000, ' s', `, ${left} left`)
        await clients
        return { note: 'of a page of 6 MB each' }
      },
    })
    return [...growthFindings(growth, '300 non-readers', 100), ...(evicted === undefined ? [] : [evicted])]
  },
}
