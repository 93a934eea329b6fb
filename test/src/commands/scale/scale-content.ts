const languages = ['c', 'go', 'java', 'javascript', 'python', 'ruby', 'rust', 'typescript']

/** Half of the titles are shared by a thousandth of all. */
export const contentOf = (i: number) => ({
  title: i % 2 === 0 ? `common title ${i % 1000}` : `a title of its own, number ${i}`,
  code: `export const answer${i} = () => ${'x'.repeat(i % 400)}${i}\n`,
  language: languages[i % languages.length] ?? '',
})
