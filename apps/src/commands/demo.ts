import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Service } from '../service/service.js'
import type { Environment } from '../settings/setting-parsers.js'

// read first: npm's shell may end while the service loads
const { ppid } = process

const forDemo = ({ USERS, ...others }: Environment): Environment => ({
  ...others,
  USERS: USERS || 'ada,grace',
  STORAGE: 'memory',
  DATA_DIR: '',
  API_TOKENS_FILE: '',
})

const demoSnippets = [
  {
    title: 'Read a large file in pieces',
    language: 'python',
    code: 'with open(path, "rb") as file:\n    while piece := file.read(64 * 1024):\n        handle(piece)\n',
  },
  {
    title: 'Wait for a while',
    language: 'javascript',
    code: 'await new Promise(resolve => setTimeout(resolve, 500))\n',
  },
  {
    title: 'Latest row of each group (PostgreSQL)',
    language: 'sql',
    code: 'SELECT DISTINCT ON (customer_id) *\nFROM orders\nORDER BY customer_id, placed_at DESC;\n',
  },
  {
    title: 'A script that stops at its first failure',
    language: 'bash',
    code: '#!/usr/bin/env bash\nset -euo pipefail\n',
  },
  {
    title: 'Check that a number is even',
    language: 'rust',
    code: 'fn is_even(number: i64) -> bool {\n    number % 2 == 0\n}\n',
  },
]

/** Posts without `fetch`, which blocks some ports and may use a proxy. An agent of its own uses no proxy. */
const post = (url: string, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    request(url, { method: 'POST', agent: false, headers }, resolve).on('error', reject).end(body)
  })

const createSnippets = async ({ url }: Service): Promise<void> => {
  for (const snippet of demoSnippets) {
    const response = await post(`${url}/api/snippets-viewset/`, JSON.stringify(snippet))
    const answer = await text(response)
    if (response.statusCode !== 201) throw new Error(`"${snippet.title}" was rejected: ${answer}`)
  }
}

const { run } = await import('../service/run.js')
await run(ppid, forDemo, createSnippets)
