export type Content = Readonly<{ title: string; code: string; language: string }>

const languages = ['c', 'go', 'java', 'javascript', 'python', 'ruby', 'rust', 'typescript']

const code = (number: number): string =>
  Array.from({ length: 8 }, (_, line) => `  const value${line} = compute(${number * 8 + line})`).join('\n')

/** Snippet number 1, 2, ... Every server is given the same ones, so that it assigns the same ids. */
export const contentOf = (number: number, titled = 'Snippet'): Content => ({
  title: `${titled} ${number}`,
  code: `export const answer${number} = () => {\n${code(number)}\n}\n`,
  language: languages[number % languages.length] ?? '',
})
