// A lower bound: Node alone, which checks only the path.
import { createServer } from 'node:http'
import { add, find, pageOf } from './shared.js'

const write = (response, status, value) => {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    .end(body)
}

createServer((request, response) => {
  const { method, url, headers } = request
  if (method === 'POST') {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => write(response, 201, add(JSON.parse(Buffer.concat(chunks).toString()))))
  } else if (url.startsWith('/api/snippets/')) write(response, 200, find(Number(url.slice(14, -1))) ?? null)
  else {
    const { page, ...query } = Object.fromEntries(new URL(url, 'http://a').searchParams)
    write(response, 200, pageOf(`http://${headers.host}/api/snippets-viewset/`, { ...query, page: Number(page) }))
  }
}).listen(process.env.PORT, '127.0.0.1')
