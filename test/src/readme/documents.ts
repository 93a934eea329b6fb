import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/workspace-root.js'

type MarkdownFile = Readonly<{ file: string; text: string }>

const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name))

/** All Markdown files of the root, of docs and of .github. */
export const documents: readonly MarkdownFile[] = ['.', 'docs', '.github']
  .flatMap(inFolder)
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

const fence = /^```(\w*)\n(.*?)^```$/gms

const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(fence)].flatMap(([, found, block = '']) => (found === language ? [block] : []))

/** Returns the code spans outside code blocks. */
export const codeSpans = (text: string): readonly string[] =>
  [...text.replace(fence, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, span]) => span ?? [])

const isCommand = (span: string): boolean => /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|pnpm|docker|git|curl|cd) \S/.test(span)

const withoutComment = (line: string): string => line.replace(/\s+#.*/, '').trim()

/** Returns the lines after a `$`. A backslash at the end continues a line. */
const promptsIn = (block: string): readonly string[] =>
  [...block.replace(/\\\n\s*/g, '').matchAll(/^\$ (.*)/gm)].flatMap(([, line]) => line ?? [])

export const commandsIn = (text: string): readonly string[] => [
  ...blocksOf(text, 'sh').flatMap(block => block.split('\n').map(withoutComment).filter(Boolean)),
  ...blocksOf(text, 'console').flatMap(promptsIn),
  ...codeSpans(text).filter(isCommand),
]
