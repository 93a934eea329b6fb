import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'

const wellFormed = [
  '',
  'W/"x"',
  '""',
  '"x",,"y"',
  ',',
  '"*"',
  '\t',
  '"x"\t , "y" ',
  `${'"a",'.repeat(800)}"b"`,
  '"1-1"',
  '"0-1"',
  '"-1"',
  '"Infinity-1"',
  '"zzzzzzzzzzzzzzzzzzzz-1"',
]

const malformed = [
  '"',
  '"x',
  'x"',
  'x',
  'W/',
  'w/"x"',
  'W/ "x"',
  '"x" "y"',
  '"x""y"',
  '"x y"',
  '"x";"y"',
  '*, "x"',
  '"x", *',
  '*,',
  '**',
  'Q'.repeat(4000),
  `"x"${' '.repeat(4000)}y`,
]

const shortened = (tag: string): string => tag.slice(0, 20)

const writes = (path: string, line: string, status: number): readonly Row[] => {
  const target = `${path}{id}/`
  const what = `${target} with ${shortened(line)}`
  return [
    { what: `PUT ${what}`, method: 'PUT', target, lines: [line], body: validBody, status },
    { what: `DELETE ${what}`, method: 'DELETE', target, lines: [line], status },
  ]
}

const read = (path: string, line: string, status: number): Row => ({
  what: `GET ${path}{id}/ with ${shortened(line)}`,
  target: `${path}{id}/`,
  lines: [line],
  status,
})

const tagRows = (path: string): readonly Row[] => [
  ...wellFormed.flatMap(tag => [
    ...writes(path, `If-Match: ${tag}`, 412),
    read(path, `If-Match: ${tag}`, 412),
    read(path, `If-None-Match: ${tag}`, 200),
  ]),
  ...malformed.flatMap(tag => [
    ...writes(path, `If-Match: ${tag}`, 400),
    ...writes(path, `If-None-Match: ${tag}`, 400),
    read(path, `If-Match: ${tag}`, 400),
    read(path, `If-None-Match: ${tag}`, 200),
  ]),
]

hostileTable('hostile preconditions', inBothFamilies(tagRows))
