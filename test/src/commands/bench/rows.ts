import { contentOf } from './content.js'

/** One kind of request, sent again and again. */
export type Row = Readonly<{
  name: string
  title: string
  status: number
  /**
   * How many requests one measurement takes, unless an option says otherwise: so many that it hardly counts that the servers
   * before have left nothing of this one in the caches of the processor.
   */
  requests: number
  /** How many snippets the server holds, where it is another number than usual. */
  snippets?: number
  /** Sends the entity tags of what it asks for. */
  tagged?: true
  request: (turn: Turn) => RequestParts
}>

/** The request number `serial` of a measurement in this round, on so many snippets. */
export type Turn = Readonly<{ serial: number; round: number; snippets: number }>

export type RequestParts = Readonly<{ method: string; target: string; body?: object }>

const list = '/api/snippets/'
const pages = '/api/snippets-viewset/'

/** Ids that are spread over the collection. */
const idOf = ({ serial, snippets }: Turn): number => 1 + ((serial * 7919) % snippets)

export const rows: readonly Row[] = [
  {
    name: 'detail',
    title: 'detail',
    status: 200,
    requests: 10000,
    request: turn => ({ method: 'GET', target: `${list}${idOf(turn)}/` }),
  },
  {
    name: 'unchanged',
    title: 'detail, 304',
    status: 304,
    requests: 10000,
    tagged: true,
    request: turn => ({ method: 'GET', target: `${list}${idOf({ ...turn, serial: turn.serial % 100 })}/` }),
  },
  {
    name: 'page',
    title: 'page 3, filtered and ordered',
    status: 200,
    requests: 8000,
    request: () => ({ method: 'GET', target: `${pages}?language=python&ordering=-created_at&page=3` }),
  },
  {
    name: 'list',
    title: 'list of 100',
    status: 200,
    requests: 2500,
    snippets: 100,
    request: () => ({ method: 'GET', target: list }),
  },
  {
    name: 'create',
    title: 'create',
    status: 201,
    requests: 5000,
    request: ({ serial, round }) => ({
      method: 'POST',
      target: list,
      // of no language that is asked for, so that pages stay as they are
      body: { ...contentOf(serial, `Round ${round}`), language: 'new' },
    }),
  },
  {
    name: 'replace',
    title: 'replace',
    status: 200,
    requests: 5000,
    request: turn => ({
      method: 'PUT',
      target: `${list}${idOf(turn)}/`,
      body: contentOf(idOf(turn), `Again ${turn.round}`),
    }),
  },
  {
    name: 'patch',
    title: 'patch',
    status: 200,
    requests: 5000,
    request: turn => ({
      method: 'PATCH',
      target: `${pages}${idOf(turn)}/`,
      body: { title: `Patched ${turn.round} ${turn.serial}` },
    }),
  },
]
