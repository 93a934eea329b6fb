import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Middleware } from 'koa'
import { problem } from '../answer/problems.js'
import { refuse } from '../answer/write-answer.js'

export type LoadLimits = Readonly<{
  /** Requests that are handled at the same time. */
  maxRequests: number
  /** The mean delay of the event loop, in milliseconds: what every request waits for before it is seen. */
  maxDelayMs: number
}>

/** For a container with one core and half a gigabyte. */
export const defaultLoadLimits: LoadLimits = { maxRequests: 2048, maxDelayMs: 500 }

const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })

/** How often the delay is taken, and how long a mean counts. */
const resolutionMs = 10
const windowMs = 500

/** Refuses requests past the limits at once, so that those within them are still answered in time. */
export const limitLoad = ({ maxRequests, maxDelayMs }: LoadLimits): Middleware => {
  const isSlow = slowEventLoop(maxDelayMs)
  let inFlight = 0
  return async (ctx, next) => {
    if (isSlow() || inFlight >= maxRequests) return refuse(ctx, overloaded)
    inFlight++
    ctx.res.once('close', () => inFlight--)
    await next()
  }
}

/** Whether the mean delay of the last window was longer. */
const slowEventLoop = (maxDelayMs: number): (() => boolean) => {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let windowEnd = performance.now() + windowMs
  let isSlow = false
  return () => {
    const now = performance.now()
    if (now < windowEnd) return isSlow
    windowEnd = now + windowMs
    isSlow = delay.mean / 1e6 - resolutionMs > maxDelayMs
    delay.reset()
    return isSlow
  }
}
