import { expect } from 'chai'
import { functionLengths } from './function-lengths.js'
import { packages } from './workspace.js'

const maxLines = 30

/** In the formatter's style. Every comment says which function starts on its line, and how long it is. */
const forms = `
export async function declared() { // 3
  return 1
}
const arrow = async (a: string): Promise<string> => { // 3
  return a
}
const expression = (a: string) => // 2
  a.trim()
const objectLiteral = (a: string) => ({ // 3
  a,
})
const ownLines = ( // 7
  a: string,
  b: Readonly<{ c: string }>,
): string => {
  const { c } = b
  return a + c
}
const curried = // not a head
  (a: string) => // 8
  (b: string) => { // 7
    const c = a + b

    if (c) { // not a function
      return c
    }
  }
const oneLine = (a: string) => a
const table = {
  method(a: string): string { // 3
    return a
  },
  get accessor() { // 3
    return 1
  },
  *generator(): Generator<number> { // 3
    yield 1
  },
}
class Example extends Array<() => void>() {
  constructor(private readonly a = []) { // 7
    a.forEach(b => { // 5
      for (const c of b) {
        console.log(c)
      }
    })
  }
}
type Callback = (a: string) => void
`

describe('functionLengths', () => {
  it('measures every form of function, and nothing else', () => {
    const expected = forms
      .split('\n')
      .flatMap((text, index) =>
        /\/\/ \d+$/.test(text) ? [{ line: index + 1, length: Number(text.split('// ')[1]) }] : [],
      )
    expect(functionLengths(forms.replaceAll(/ \/\/ .*/g, ''))).to.deep.equal(expected)
  })
})

describe('Every function outside the tests', () => {
  it(`has at most ${maxLines} lines`, () => {
    const tooLong = packages
      .filter(({ name }) => name !== 'test')
      .flatMap(({ sources }) => sources)
      .flatMap(({ file, text }) =>
        functionLengths(text)
          .filter(({ length }) => length > maxLines)
          .map(({ line, length }) => `${file}:${line} has ${length}`),
      )
    expect(tooLong).to.deep.equal([])
  })
})
