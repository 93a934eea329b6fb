import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { directories } from '../../support/kept.js'
import { runTransfer } from '../../support/transfer.js'
import { file, firstLines, good, header, large, snippet, user } from './files.js'

describe('npm run transfer, from a file that cannot be right,', () => {
  const newDirectory = directories()

  const bad: Readonly<Record<string, readonly [string, RegExp]>> = {
    'an empty file': ['', / is empty\.$/m],
    'a file that begins with an empty line': [`\n${good}`, / line 1 is not the head of a snippets file\.$/m],
    'another file': ['{"a":1}\n', / line 1 is not the head of a snippets file\.$/m],
    'a file that begins with a snippet': [`${snippet('5')}\n`, / line 1 is not the head of a snippets file\.$/m],
    'a row that is neither': [file('{"a":1}'), / line 2 is neither a snippet nor a user\.$/m],
    'a count of snippets that is none': [
      good.replace('}\n', ',"snippets":-7}\n'),
      / line 1 is not the head of a snippets file: snippets must be a whole number\.$/m,
    ],
    'a file of a newer version': [
      header.replace(':1,', ':2,'),
      / line 1 says version 2, which a newer version of this/,
    ],
    'a line that is not JSON': [file(snippet('5'), '{"snippet":6'), / line 3 is not a JSON object\.$/m],
    'a snippet without code': [
      file(snippet('5').replace(/"code":"\d+",/, '')),
      / line 2 is not valid: code is required\.$/m,
    ],
    'a title that is too long': [
      file(snippet('5', 'x'.repeat(101))),
      / line 2 is not valid: title must be between 1 and 100/,
    ],
    'an id of 0': [file(snippet('0')), / line 2 is not valid: snippet must be an id from 1 to 9223372036854775807\.$/m],
    'an id past the last': [file(snippet('9223372036854775808')), / line 2 is not valid: snippet must be an id/],
    'a negative id': [file(snippet('-5')), / line 2 is not valid: snippet must be an id/],
    'an id that a double has rounded': [
      file(snippet('9.007199254740993e15')),
      / line 2 is not valid: snippet must be an id/,
    ],
    'an id with a fraction': [file(snippet('1.5')), / line 2 is not valid: snippet must be an id/],
    'a time that is none': [
      file(snippet('5').replace('-02T', '-42T')),
      / line 2 is not valid: created_at must be a time/,
    ],
    'an id that comes twice': [file(snippet('5'), snippet('5')), / line 3 is out of order: /],
    'a user after a snippet': [file(snippet('5'), user), / line 3 is out of order: /],
    'ids out of order': [file(snippet('6'), snippet('5')), / line 3 is out of order: /],
    'a title that is half a character': [
      file(snippet('5', '\\ud83d')),
      / line 2 is not valid: title must not contain a lone surrogate\.$/m,
    ],
    'a NUL after a row': [file(`${snippet('5')}\0`), / line 2 is not a JSON object\.$/m],
    'a second header': [file(snippet('5'), header), / line 3 is not where it belongs/],
    'a file that lost its end': [
      firstLines(good, 3),
      / ends after line 3 without its last line, so it has lost its end\.$/m,
    ],
    'a file that lost its end, and the break of the line before': [
      firstLines(good, 3).trimEnd(),
      / ends after line 3 without its last line, so it has lost its end\.$/m,
    ],
    'a file that lost a line': [
      good.replace(`${snippet('5')}\n`, ''),
      / line 4 says 1 user and 2 snippets, but there are 1 and 1/,
    ],
    'lines after the end': [good + snippet('6'), / line 6 comes after the last line\.$/m],
    'a line without end': [`${header}\n${'x'.repeat(1 << 21)}`, / has a line of more than 1 MiB\.$/m],
  }
  for (const [what, [text, why]] of Object.entries(bad))
    it(`refuses ${what} with a sentence`, async () => {
      const directory = join(await newDirectory(), 'data')
      const { code, stderr } = await runTransfer(['--from', '-', '--to', directory], text)
      expect(code).to.equal(1)
      expect(stderr).to.match(why)
      expect(stderr.trimEnd().split('\n')).to.have.length(1)
    })

  const outOfRange = [
    '9223372036854775808',
    '99999999999999999999',
    '-5',
    '1.5',
    '1e2',
    '01',
    '"5"',
    `"${large}"`,
    'null',
  ]
  for (const lastId of outOfRange)
    it(`refuses a head whose last_id is ${lastId}, and leaves the target as it was`, async () => {
      const directory = join(await newDirectory(), 'data')
      expect((await runTransfer(['--from', '-', '--to', directory], good)).code).to.equal(0)
      const text = good.replace(/"last_id":\d+/, `"last_id":${lastId}`)
      const { code, stderr } = await runTransfer(['--from', '-', '--to', directory, '--merge'], text)
      expect(code).to.equal(1)
      expect(stderr).to.match(
        / line 1 is not the head of a snippets file(: last_id must be an integer from 0 to \d+)?\.\n$/,
      )
      const back = await runTransfer(['--from', directory, '--to', '-'])
      expect(back.stdout.split('\n').slice(1)).to.deep.equal(good.split('\n').slice(1))
    })

  it('refuses a head without last_id', async () => {
    const text = good.replace(/,"last_id":\d+/, '')
    const { code, stderr } = await runTransfer(['--from', '-', '--to', join(await newDirectory(), 'data')], text)
    expect(code).to.equal(1)
    expect(stderr).to.match(/: last_id must be an integer from 0 to 9223372036854775807\.\n$/)
  })

  it('refuses a compressed file, whole or cut', async () => {
    const path = join(await newDirectory(), 'rows.ndjson')
    const bytes = gzipSync(good)
    for (const part of [bytes, bytes.subarray(0, 60)]) {
      await writeFile(path, part)
      const { code, stderr } = await runTransfer(['--from', path, '--to', '-'])
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `${path} is not UTF-8.\n` })
    }
  })

  it('refuses a file that is not UTF-8', async () => {
    const path = join(await newDirectory(), 'rows.ndjson')
    await writeFile(path, Buffer.concat([Buffer.from(`${header}\n`), Buffer.from([0xff, 0xfe])]))
    const { code, stderr } = await runTransfer(['--from', path, '--to', '-'])
    expect(code).to.equal(1)
    expect(stderr).to.equal(`${path} is not UTF-8.\n`)
  })

  it('refuses a file that ends with half a character', async () => {
    const path = join(await newDirectory(), 'rows.ndjson')
    await writeFile(path, Buffer.concat([Buffer.from(good), Buffer.from('é').subarray(0, 1)]))
    const { code, stderr } = await runTransfer(['--from', path, '--to', '-'])
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `${path} is not UTF-8.\n` })
  })

  it('names standard input for a malformed line of it, and counts a single row', async () => {
    const directory = join(await newDirectory(), 'data')
    const { stderr } = await runTransfer(['--from', '-', '--to', directory], file(snippet('0')))
    expect(stderr).to.match(/^standard input line 2 is not valid: /)
    const one = await runTransfer(['--from', '-', '--to', directory], file(snippet('5')))
    expect(one.stderr).to.match(/^Carried over and checked: 1 row, SHA-256 /)
  })
})
