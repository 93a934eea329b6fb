/** A script that is loaded before a measured server, and reports the resource usage of its process over IPC. */
export type Usage = Readonly<{
  /** The processor time of all threads. */
  cpuMicroseconds: number
  megabytes: number
  /** The maximum since the last report. */
  peakMegabytes: number
  /** After a garbage collection if the process runs with `--expose-gc`. */
  heapMegabytes: number
  handles: number
  /** The listeners of the process. Node warns of too many on any other object. */
  listeners: number
}>

// worker threads load this script too, and must not report
if (process.channel) {
  let peakMegabytes = 0
  const sample = (): number => {
    const megabytes = process.memoryUsage.rss() / 1e6
    peakMegabytes = Math.max(peakMegabytes, megabytes)
    return megabytes
  }
  setInterval(sample, 20).unref()
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    globalThis.gc?.()
    process.send?.({
      cpuMicroseconds: user + system,
      megabytes: sample(),
      peakMegabytes,
      heapMegabytes: process.memoryUsage().heapUsed / 1e6,
      handles: process.getActiveResourcesInfo().length,
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    } satisfies Usage)
    peakMegabytes = 0
  })
  process.channel.unref()
}
