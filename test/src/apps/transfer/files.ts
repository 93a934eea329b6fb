export const header = '{"format":"snippets","version":1,"last_id":9223372036854775806}'
export const user = '{"user":3,"username":"ada \\"l\\""}'
export const snippet = (id: string, title = 'a title') =>
  `{"snippet":${id},"version":7,"created_at":"2026-01-02T03:04:05.678Z","title":"${title}","code":"1234567890123456789","language":"none"}`
export const file = (...rows: readonly string[]): string => {
  const users = rows.filter(row => row.startsWith('{"user')).length
  return [header, ...rows, `{"end":{"users":${users},"snippets":${rows.length - users}}}`, ''].join('\n')
}
export const large = '9007199254740993'
export const good = file(user, snippet('5'), snippet(large, 'é 😀'))

export const firstLines = (text: string, lines: number) => `${text.split('\n').slice(0, lines).join('\n')}\n`
