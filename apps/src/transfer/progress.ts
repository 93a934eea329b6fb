import type { WriteStream } from 'node:tty'
import { amount } from './amount.js'

export type Progress = Readonly<{
  begin: (what: string, total: number | undefined) => void
  add: (rows: number) => void
  end: () => void
}>

const terminalMs = 100
const lineMs = 5000
const barWidth = 24

type Output = Pick<WriteStream, 'write' | 'isTTY'>

/** A bar on a terminal, otherwise a line every few seconds. */
export const progressOn = (output: Output, now: () => number = () => performance.now()): Progress => {
  const everyMs = output.isTTY ? terminalMs : lineMs
  let [what, total, done, since, shown] = ['', undefined as number | undefined, 0, now(), now()]
  const show = (): void => {
    shown = now()
    const text = `${what} ${describe(done, total, (shown - since) / 1000)}`
    output.write(output.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  return {
    begin: (next, expected) => {
      ;[what, total, done, since] = [next, expected, 0, now()]
      if (output.isTTY) show()
    },
    add: rows => {
      done += rows
      if (now() - shown >= everyMs) show()
    },
    end: () => {
      if (output.isTTY) output.write('\r\x1b[K')
    },
  }
}

/** A count that grows meanwhile is no reason to show more than all. */
const describe = (done: number, total: number | undefined, seconds: number): string => {
  const rate = seconds > 0 ? Math.round(done / seconds) : 0
  const speed = `${amount(done, 'row')}, ${rate} a second`
  if (total === undefined || total === 0) return speed
  const share = Math.min(1, done / total)
  const bar = '#'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '.')
  const left = rate > 0 ? `, ${Math.ceil(Math.max(0, total - done) / rate)} s left` : ''
  return `[${bar}] ${Math.floor(share * 100)}% ${speed}${left}`
}
