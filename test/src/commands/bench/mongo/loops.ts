import type { Asked, Operations } from './operations.js'

/** Who is asked: the driver alone, or the adapter. */
export type Side = 'bare' | 'adapter'

export type LoopTask = Omit<Asked, 'serial'> & Readonly<{ side: Side; row: string; requests: number }>
export type LoopReply = Readonly<{ cpuMicroseconds: number }>

/** A child process: 64 loops without HTTP. */
const loops = 64
const [, , url = ''] = process.argv

/** Each is opened when it is first asked, so that a process that measures one holds no other. */
const open: Readonly<Record<Side, () => Promise<Operations>>> = {
  bare: async () => (await import('./bare-driver.js')).bareDriver(url),
  adapter: async () => (await import('./adapter.js')).adapter(url),
}
const opened = new Map<Side, Promise<Operations>>()

const operationsOf = (side: Side): Promise<Operations> => {
  const operations = opened.get(side) ?? open[side]()
  opened.set(side, operations)
  return operations
}

const run = async (task: LoopTask): Promise<LoopReply> => {
  const operation = (await operationsOf(task.side))[task.row]
  if (operation === undefined) throw new Error(`there is no row ${task.row}`)
  const asks = Array.from({ length: task.requests }, (_, serial) => operation({ ...task, serial })).values()
  const loop = async (): Promise<void> => {
    for (const ask of asks) await ask()
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: loops }, loop))
  const { user, system } = process.cpuUsage(before)
  return { cpuMicroseconds: (user + system) / task.requests }
}

process.on('message', async (task: LoopTask) => process.send?.(await run(task)))
process.on('disconnect', () => process.exit())
