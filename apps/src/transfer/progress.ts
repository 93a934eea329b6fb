import { clearLine, cursorTo } from 'node:readline'
import type { RowCounts } from './transfer-rows.js'

const secondsBetweenLines = 10

/**
 * Shows the counts of a running transfer: on a terminal in one line that changes, elsewhere in a line every ten
 * seconds. The returned function stops this, and removes the line from the terminal.
 */
export const showProgress = (stream: NodeJS.WritableStream & { isTTY?: boolean }, counts: RowCounts): (() => void) => {
  let [shownAt, shown] = [performance.now(), 0]
  const show = (): void => {
    const { copied, compared } = counts
    const [now, rows] = [performance.now(), copied + compared]
    // the present speed shows a transfer that stalls
    const speed = Math.round(((rows - shown) * 1000) / (now - shownAt))
    shownAt = now
    shown = rows
    const step = compared === 0 ? `Rows copied: ${copied}` : `Rows compared: ${compared} of ${copied}`
    removeLine()
    stream.write(`${step}, ${speed} a second${stream.isTTY ? '' : '\n'}`)
  }
  const removeLine = (): void => {
    if (!stream.isTTY) return
    clearLine(stream, 0)
    cursorTo(stream, 0)
  }
  const timer = setInterval(show, stream.isTTY ? 1000 : secondsBetweenLines * 1000)
  return () => {
    clearInterval(timer)
    removeLine()
  }
}
