/** Loaded before a server that is measured: says over IPC what the process has used. */
export type Usage = Readonly<{
  /** Of all threads. */
  cpuMicroseconds: number
  megabytes: number
  /** The most since the last report. */
  peakMegabytes: number
}>

// not in the threads of a server, which load this too
if (process.channel) {
  let peakMegabytes = 0
  const look = (): number => {
    const megabytes = process.memoryUsage.rss() / 1e6
    peakMegabytes = Math.max(peakMegabytes, megabytes)
    return megabytes
  }
  setInterval(look, 20).unref()
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMicroseconds: user + system, megabytes: look(), peakMegabytes } satisfies Usage)
    peakMegabytes = 0
  })
  process.channel.unref()
}
