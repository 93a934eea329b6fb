/** Where a function starts, counted from 1, and how many lines it has from there to its closing bracket. */
export type FunctionLength = Readonly<{ line: number; length: number }>

/**
 * Finds functions, arrow functions, methods and accessors by the end of their head, and the end of their body by its
 * indentation. That needs no parser, and is exact for code in the formatter's style.
 */
export const functionLengths = (text: string): readonly FunctionLength[] => {
  const lines = text.split('\n')
  return lines.flatMap((line, head) => {
    if (!endsHead(line)) return []
    const start = startOf(lines, head)
    return isNoFunction(lines[start] ?? '') ? [] : [{ line: start + 1, length: endOf(lines, head) - start }]
  })
}

/** `=>` with a body that goes on in the next line, or the `{` of a function or a method. */
const endsHead = (line: string): boolean =>
  !isComment(line) && (/=>$|=> .*[{([<]$/.test(line) || /\)(: .+)? \{$/.test(line))

const isComment = (line: string): boolean => /^ *(\/\/|\/\*|\* |\*\/|\*$)/.test(line)

const isNoFunction = (line: string): boolean =>
  /^ *(\} )?(if|else|for|while|do|switch|try|catch|finally)\b/.test(line) ||
  /^ *(export )?(abstract )?class\b/.test(line)

/** A head may have its parameters on lines of their own, which end in a closing bracket. */
const startOf = (lines: readonly string[], head: number): number => {
  const indent = indentOf(lines[head])
  let start = head
  while (start > 0 && (isClosing(lines[start]) || indentOf(lines[start]) > indent)) start--
  return start
}

/** The index after the last line: the body is indented deeper than the head, and a closing bracket is not. */
const endOf = (lines: readonly string[], head: number): number => {
  const indent = indentOf(lines[head])
  // a curried function, whose body is the next function
  if (lines[head]?.endsWith('=>') && indentOf(lines[head + 1]) === indent) return endOf(lines, head + 1)
  let end = head + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]) > indent)) end++
  if (isClosing(lines[end]) && indentOf(lines[end]) === indent) return end + 1
  while (lines[end - 1] === '') end--
  return end
}

const indentOf = (line = ''): number => line.length - line.trimStart().length

const isClosing = (line = ''): boolean => /^ *[)\]}>]/.test(line)
