/** Where JSON goes wrong. Lines and columns count from 1, columns in code points. */
export type JsonFault = Readonly<{ line: number; column: number; isAtEnd: boolean }>

type Kind = 'text' | 'literal' | '{' | '}' | '[' | ']' | ':' | ','
type State = 'value' | 'item or ]' | 'key or }' | 'key' | ':' | 'after'
type Steps = Readonly<{ [K in Kind]?: State }>

const values: Steps = { text: 'after', literal: 'after', '{': 'key or }', '[': 'item or ]' }

/** Which token may come in which state, and the state that it leads to. */
const steps: Readonly<Record<Exclude<State, 'after'>, Steps>> = {
  value: values,
  'item or ]': { ...values, ']': 'after' },
  'key or }': { text: ':', '}': 'after' },
  key: { text: ':' },
  ':': { ':': 'value' },
}

/** What may come after a value depends on what holds it. */
const stepsAfterValueIn = new Map<string | undefined, Steps>([
  ['{', { ',': 'key', '}': 'after' }],
  ['[', { ',': 'value', ']': 'after' }],
])

/**
 * Finds the first fault of a text that JSON.parse refuses. V8's own messages do not do: they quote the text, their words
 * change with the version of Node.js, and some have no position.
 */
export const jsonFault = (json: string): JsonFault | undefined => {
  const holders: string[] = []
  let state: State = 'value'
  for (let at = endOf(space, json, 0) ?? 0; ; at = endOf(space, json, at) ?? at) {
    const kind = kindAt(json, at)
    if (kind === undefined && state === 'after' && holders.length === 0) return undefined
    const next: State | undefined = kind && stepsFrom(state, holders.at(-1))?.[kind]
    if (kind === undefined || next === undefined) return faultAt(json, at)
    const end = endOfToken(kind, json, at)
    if (end === undefined) return faultAt(json, faultInToken(kind, json, at))
    if (kind === '{' || kind === '[') holders.push(kind)
    if (kind === '}' || kind === ']') holders.pop()
    state = next
    at = end
  }
}

const stepsFrom = (state: State, holder: string | undefined): Steps | undefined =>
  state === 'after' ? stepsAfterValueIn.get(holder) : steps[state]

const kindAt = (json: string, at: number): Kind | undefined => {
  const character = json[at]
  switch (character) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
    case undefined:
      return character
    default:
      return character === '"' ? 'text' : 'literal'
  }
}

const endOfToken = (kind: Kind, json: string, at: number): number | undefined => {
  if (kind === 'text') return endOf(text, json, at)
  return kind === 'literal' ? endOf(literal, json, at) : at + 1
}

/** Behind what could still have become a text or a literal. */
const faultInToken = (kind: Kind, json: string, start: number): number => {
  if (kind !== 'text') return endOf(openLiteral, json, start) ?? start
  const at = endOf(openText, json, start) ?? start
  return endOf(openEscape, json, at) ?? at
}

// each character has one way to match, so that nothing is tried twice
const space = /[ \t\r\n]*/y
const openText = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
const openEscape = /\\(?:u[0-9a-fA-F]{0,3})?/y
const text = new RegExp(`${openText.source}"`, 'y')
const literal = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const openLiteral = /t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-/y

const endOf = (pattern: RegExp, json: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(json) ? pattern.lastIndex : undefined
}

const faultAt = (json: string, at: number): JsonFault => {
  const lines = json.slice(0, at).split(/\r\n|\r|\n/)
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1, isAtEnd: at === json.length }
}
