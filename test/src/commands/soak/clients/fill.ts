import { openLink } from '../../measuring/link.js'
import { heaviestCode, post } from './requests.js'
import { deadline, together } from './timing.js'

export type FillInput = Readonly<{ port: number; ms: number; count: number; code: 'heaviest' | number }>

/** Creates snippets whose code is the heaviest, or has this many letters. */
export const fill = async ({ port, ms, count, code }: FillInput): Promise<number> => {
  const time = deadline(ms)
  const request = post(code === 'heaviest' ? heaviestCode : 'x'.repeat(code), 'soak')
  let sent = 0
  let created = 0
  await together(8, async () => {
    const link = openLink(port)
    while (sent < count && !time.isOver()) {
      sent++
      const outcome = await link.ask(request)
      if (outcome.how === 'answered' && outcome.status === 201) created++
    }
    link.close()
  })
  if (created < count) throw new Error(`only ${created} of ${count} snippets could be created`)
  return created
}
