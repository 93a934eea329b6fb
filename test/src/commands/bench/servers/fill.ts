import { openLink } from '../../measuring/link.js'
import { contentOf } from '../content.js'
import { requestBytes } from '../load/request-bytes.js'

/** One after the other, so that every server assigns the same ids. */
export const fill = async (port: number, snippets: number): Promise<void> => {
  const link = openLink(port)
  for (let number = 1; number <= snippets; number++) {
    const request = requestBytes({ method: 'POST', target: '/api/snippets/', body: contentOf(number) })
    const outcome = await link.ask(request)
    if (outcome.how !== 'answered' || outcome.status !== 201)
      throw new Error(`cannot create: ${JSON.stringify(outcome)}`)
  }
  link.close()
}
