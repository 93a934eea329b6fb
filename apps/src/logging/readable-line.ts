type Fields = Readonly<Record<string, unknown>>

const levelNames: Readonly<Record<string, string>> = {
  10: '\u001b[90mTRACE',
  20: '\u001b[34mDEBUG',
  30: '\u001b[32mINFO',
  40: '\u001b[33mWARN',
  50: '\u001b[31mERROR',
  60: '\u001b[41mFATAL',
}
const cyan = '\u001b[36m'
const plain = '\u001b[39;49m'

/** Turns a line of JSON into one for a terminal, in colours: `12:00:00.000 INFO: GET /api/snippets/:id/ 200 in 0.4 ms`. */
export const readableLine = (json: string): string => {
  const { level, time, pid: _pid, err, msg, ...fields }: Fields = JSON.parse(json)
  const { message, others } = fields.method === undefined ? { message: msg, others: fields } : ofRequest(fields, msg)
  const more = Object.keys(others).length === 0 ? '' : ` ${printable(JSON.stringify(others))}`
  const start = `${clock(Number(time))} ${levelNames[String(level)]}${plain}`
  return `${start}: ${cyan}${printable(String(message))}${plain}${more}\n${stacks(err)}`
}

const ofRequest = ({ method, route, status, ms, bytes: _bytes, ...others }: Fields, msg: unknown) => {
  const request = `${method} ${route}`
  const outcome = `${request} ${status ?? 'unanswered'} in ${ms} ms`
  return { message: msg === 'request' ? outcome : `${msg}: ${request}`, others }
}

const clock = (time: number): string =>
  `${new Date(time).toTimeString().slice(0, 8)}.${String(time % 1000).padStart(3, '0')}`

/** Those of an error and of its causes, as `errorFields` has them. */
const stacks = (error: unknown): string => {
  if (!isObject(error)) return ''
  const { type, message = 'no error was thrown', stack = `${type}: ${message}`, cause } = error
  const lines = String(stack).split('\n').map(printable).join('\n    ')
  return `    ${lines}\n${cause === undefined ? '' : `    caused by\n${stacks(cause)}`}`
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** What others wrote must not steer a terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
