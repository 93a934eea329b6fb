// read first: npm's shell may end while the service loads
const { ppid } = process
const { run } = await import('../service/run.js')
await run(ppid)
