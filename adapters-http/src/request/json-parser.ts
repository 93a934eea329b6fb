import type { RouterContext } from '@koa/router'
import bodyParser from 'koa-bodyparser'

const options = {
  enableTypes: ['json'],
  strict: false,
  // the length has been checked; a number costs no parsing
  jsonLimit: Number.POSITIVE_INFINITY as unknown as string,
  // the type has been checked
  detectJSON: () => true,
  // a key named __proto__ is an unknown field like any other: JSON.parse makes it an own property, and nobody reads it
  onProtoPoisoning: 'ignore',
}

const parse = bodyParser(options)

type Body = RouterContext['request']['body']

/** What koa-bodyparser makes of a body. Rejects with what JSON.parse throws. */
export const parsed = async (bytes: Buffer): Promise<Body> => {
  const body = new ReadBody()
  const parsing = parse(body as unknown as RouterContext, nothingNext)
  body.flow(bytes)
  await parsing
  return body.request.body
}

const done = Promise.resolve()
const nothingNext = (): Promise<void> => done

const noHeaders = {}

type Listener = (piece?: Buffer) => void

/**
 * A body that has been read already, with as much of a context and of a request as koa-bodyparser needs. Its listeners are
 * there as soon as it has been called.
 */
class ReadBody {
  readonly request: { body: Body } = { body: undefined }
  readonly headers = noHeaders
  #onData: Listener | undefined
  #onEnd: Listener | undefined

  get req(): this {
    return this
  }

  on(event: string, listener: Listener): void {
    if (event === 'data') this.#onData = listener
    if (event === 'end') this.#onEnd = listener
  }

  removeListener(): void {}

  flow(bytes: Buffer): void {
    this.#onData?.(bytes)
    this.#onEnd?.()
  }
}
