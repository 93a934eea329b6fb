import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Middleware } from 'koa'
import { overloadProblem } from '../response/problems.js'
import { sendProblem } from '../response/write-response.js'

export type LoadLimits = Readonly<{
  /** Requests in flight. */
  maxRequests: number
  /** Mean delay of the event loop in milliseconds: how late it handles a request on average. */
  maxDelayMs: number
}>

const tooSlow = overloadProblem('MAX_DELAY_MS')
const tooManyRequests = overloadProblem('MAX_REQUESTS')

/** The delay is sampled every `resolutionMs`. Its mean is computed once per `intervalMs`. */
const resolutionMs = 10
const intervalMs = 500

/** Sheds load: rejects requests beyond the limits at once, so that the others are answered in time. */
export const limitLoad = ({ maxRequests, maxDelayMs }: LoadLimits): Middleware => {
  const isSlow = slowEventLoop(maxDelayMs)
  let inFlight = 0
  return async (ctx, next) => {
    if (isSlow()) return sendProblem(ctx, tooSlow)
    if (inFlight >= maxRequests) return sendProblem(ctx, tooManyRequests)
    inFlight++
    ctx.res.once('close', () => inFlight--)
    await next()
  }
}

/** Returns a function that tells whether the mean delay of the last interval exceeded the limit. */
const slowEventLoop = (maxDelayMs: number): (() => boolean) => {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let intervalEnd = performance.now() + intervalMs
  let isSlow = false
  return () => {
    const now = performance.now()
    if (now < intervalEnd) return isSlow
    intervalEnd = now + intervalMs
    isSlow = delay.mean / 1e6 - resolutionMs > maxDelayMs
    delay.reset()
    return isSlow
  }
}
