import { prettyFactory } from 'pino-pretty'

type Output = Readonly<{ write: (line: string) => void }>

const accessFields = ['method', 'route', 'status', 'ms', 'bytes']

/** Turns each JSON line into a coloured one: `12:00:00.000 INFO: GET /api/snippets/:id/ 200 in 0.4 ms`. */
export const readableLines = (output: Output): Output => {
  const readable = prettyFactory({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ['pid', ...accessFields].join(),
    singleLine: true,
    messageFormat: messageOf,
  })
  return { write: line => output.write(readable(line)) }
}

const messageOf = ({ msg, method, route, status, ms }: Readonly<Record<string, unknown>>): string => {
  if (method === undefined) return String(msg)
  return msg === 'request' ? `${method} ${route} ${status ?? 'unanswered'} in ${ms} ms` : `${msg}: ${method} ${route}`
}
