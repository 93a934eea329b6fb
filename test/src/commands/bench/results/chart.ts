import type { Result } from './ratios.js'

type Named = Readonly<{ name: string; title: string }>

const width = 840
const left = 190
const right = 60
const bar = 13
const gap = 16
const top = 44

/** Readable on a light page and on a dark one. */
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.own { fill: #0969da } .other { fill: #8c959f } .grid { stroke: #8c959f; stroke-opacity: .4 }
.ownText { font-weight: 600 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .own { fill: #4493f8 } .other { fill: #6e7681 } }
</style>`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A group of bars for each kind of request: how much of the limit's speed each server has. */
export const chart = (
  rows: readonly Named[],
  servers: readonly (Named & Readonly<{ isOwn: boolean }>)[],
  results: readonly Result[],
): string => {
  const parts: string[] = []
  const shares = results.map(({ ratio }) => ratio?.median ?? 0)
  const most = Math.max(1, ...shares)
  const x = (share: number): number => Math.round(left + (share / most) * (width - left - right))
  let y = top
  for (const row of rows) {
    parts.push(`<text x="0" y="${y + bar - 2}" class="ownText">${escaped(row.title)}</text>`)
    y += bar + 4
    for (const { name, title, isOwn } of servers) {
      const share = results.find(result => result.row === row.name && result.server === name)?.ratio?.median
      if (share === undefined) continue
      const text = isOwn ? ' class="ownText"' : ''
      parts.push(
        `<text x="${left - 8}" y="${y + bar - 3}" text-anchor="end"${text}>${escaped(title)}</text>`,
        `<rect x="${left}" y="${y}" width="${x(share) - left}" height="${bar - 2}" class="${isOwn ? 'own' : 'other'}"/>`,
        `<text x="${x(share) + 6}" y="${y + bar - 3}"${text}>${share.toFixed(2)}</text>`,
      )
      y += bar + 1
    }
    y += gap
  }
  const limit = `<line x1="${x(1)}" x2="${x(1)}" y1="${top - 8}" y2="${y - gap}" class="grid"/><text x="${x(1)}" y="${top - 14}" text-anchor="middle">node:http = 1</text>`
  const heading = `<text x="0" y="14">Requests per second of CPU, as a share of a bare node:http server with cached JSON</text>`
  const size = `width="${width}" height="${y}" viewBox="0 0 ${width} ${y}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n<title>How fast the service is beside other frameworks</title>\n${[style, heading, limit, ...parts].join('\n')}\n</svg>\n`
}
