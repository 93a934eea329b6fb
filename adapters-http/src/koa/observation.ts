import type { Context } from 'koa'

/** One request, when its response has ended. */
export type Observation = Readonly<{ method: string; route: string; status: number; seconds: number }>

export const observeEnd = (ctx: Context, observe: (observation: Observation) => void): void => {
  const started = performance.now()
  const { req, res } = ctx
  res.once('close', () =>
    observe({
      method: req.method ?? '',
      route: ctx.routerPath ?? 'none',
      status: res.statusCode,
      seconds: (performance.now() - started) / 1000,
    }),
  )
}
