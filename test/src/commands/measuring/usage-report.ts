/** Loaded before a server that is measured: says over IPC what the process has used. */
export type Usage = Readonly<{
  /** Of all threads. */
  cpuMicroseconds: number
  megabytes: number
  /** The most since the last report. */
  peakMegabytes: number
}>

const megabytes = (): number => process.memoryUsage.rss() / 1e6

let peakMegabytes = 0
const look = (): void => {
  peakMegabytes = Math.max(peakMegabytes, megabytes())
}

// not in the threads of a server, which load this too
if (process.channel) {
  setInterval(look, 20).unref()
  process.on('message', message => {
    if (message !== 'usage') return
    look()
    const { user, system } = process.cpuUsage()
    const usage: Usage = { cpuMicroseconds: user + system, megabytes: megabytes(), peakMegabytes }
    process.send?.(usage)
    peakMegabytes = 0
  })
  process.channel.unref()
}
