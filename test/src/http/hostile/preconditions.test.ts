import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'

const junkTags = [
  '',
  '"',
  '"x',
  'x"',
  'x',
  'W/',
  'W/"x"',
  'w/"x"',
  '""',
  '"x" "y"',
  '"x",,"y"',
  ',',
  '*, "x"',
  '"*"',
  '**',
  '\t',
  'Q'.repeat(4000),
  `${'"a",'.repeat(800)}"b"`,
  '"1-1"',
  '"0-1"',
  '"-1"',
  '"Infinity-1"',
  '"zzzzzzzzzzzzzzzzzzzz-1"',
]

const tagRows = (path: string): readonly Row[] =>
  junkTags.flatMap(tag => {
    const shown = tag.slice(0, 20)
    const target = `${path}{id}/`
    return [
      {
        what: `PUT ${path}{id}/ with If-Match: ${shown}`,
        method: 'PUT',
        target,
        lines: [`If-Match: ${tag}`],
        body: validBody,
        status: 412,
      },
      {
        what: `DELETE ${path}{id}/ with If-Match: ${shown}`,
        method: 'DELETE',
        target,
        lines: [`If-Match: ${tag}`],
        status: 412,
      },
      { what: `GET ${path}{id}/ with If-None-Match: ${shown}`, target, lines: [`If-None-Match: ${tag}`], status: 200 },
    ]
  })

hostileTable('hostile preconditions', inBothFamilies(tagRows))
