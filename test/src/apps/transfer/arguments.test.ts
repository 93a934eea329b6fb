import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directories } from '../../support/kept.js'
import { runTransfer } from '../../support/transfer.js'
import { good } from './files.js'

describe('The arguments of npm run transfer', () => {
  const newDirectory = directories()

  it('refuses sources that do not exist, and makes none', async () => {
    const folder = await newDirectory()
    for (const name of ['none', 'none.ndjson']) {
      const { code, stderr } = await runTransfer(['--from', join(folder, name), '--to', '-'])
      expect(code).to.equal(1)
      expect(stderr).to.match(/(does not exist|it has no folder snippets)\.\n$/)
    }
  })

  it('never shows a password', async () => {
    const url = 'mongodb://ann:hush@127.0.0.1:1/x?serverSelectionTimeoutMS=200'
    const { code, stderr } = await runTransfer(['--from', url, '--to', '-'])
    expect(code).to.equal(1)
    expect(stderr).to.match(/^mongodb:\/\/\*\*\*@127\.0\.0\.1:1\/x\?serverSelectionTimeoutMS=200 failed \(.+\)\.\n$/)
    expect(stderr).to.not.contain('hush')
  })

  const secret = "s3c=r. e't"
  for (const end of [
    `mongodb:/joe:${secret}@h/x`,
    `mongodb:joe:${secret}@h/x`,
    `joe:${secret}@h/x`,
    `joe:${secret}@h/x.ndjson`,
    `mongodb://joe:${secret}/${secret}@h/x`,
  ]) {
    it(`never shows the password of ${end}`, async () => {
      for (const args of [
        ['--from', end, '--to', '-'],
        ['--from', '-', '--to', end],
        ['--from', end, '--to', end, end],
        [`--form=${end}`],
        [`--${end}`],
        [`-${end}`],
        [`--merge=${end}`],
      ]) {
        const { code, stdout, stderr } = await runTransfer(args, good)
        expect(code, stderr).to.be.oneOf([1, 64])
        expect(stdout + stderr).to.not.match(/s3c|e't/)
      }
    })
  }

  it('says why a path with an @ cannot be used', async () => {
    const { stderr } = await runTransfer(['--from', '-', '--to', 'joe:s3cret@h/x.ndjson'], good)
    expect(stderr).to.equal('***@h/x.ndjson cannot be written (ENOENT: no such file or directory).\n')
  })

  it('refuses a file below a file with a sentence', async () => {
    const path = join(await newDirectory(), 'file')
    await writeFile(path, '')
    const { code, stderr } = await runTransfer(['--from', '-', '--to', `${path}/x.ndjson`], good)
    expect(code).to.equal(1)
    expect(stderr).to.equal(`${path}/x.ndjson cannot be written (ENOTDIR: not a directory).\n`)
  })

  it('refuses a path that is too long with a sentence', async () => {
    for (const [name, why] of [
      ['x', 'cannot be used (ENAMETOOLONG)'],
      ['.ndjson', 'cannot be written (ENAMETOOLONG: name too long)'],
    ] as const) {
      const { code, stderr } = await runTransfer(['--from', '-', '--to', `u:s3cret@${'x'.repeat(300)}${name}`], good)
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `***@${'x'.repeat(300)}${name} ${why}.\n` })
    }
  })

  for (const [args, why] of [
    [[], 'Both --from and --to are needed.'],
    [['--from', 'a'], 'Both --from and --to are needed.'],
    [['--from', 'a', '--to', 'a'], '--from and --to are the same.'],
    [['--from', 'a', '--from', 'b', '--to', 'c'], '--from and --to are needed once each.'],
    [['--form', 'a'], "Unknown option '--form'."],
    [['a'], "Unexpected argument 'a'."],
    [['mongodb://u:s3cret@h/'], "Unexpected argument 'mongodb://***@h/'."],
    [['--from'], "Option '--from <value>' argument missing."],
  ] as const)
    it(`refuses the arguments ${JSON.stringify(args)} with a sentence and 64`, async () => {
      const { code, stdout, stderr } = await runTransfer(args)
      expect({ code, stdout }).to.deep.equal({ code: 64, stdout: '' })
      expect(stderr.split('\n')[0]).to.equal(why)
      expect(stderr).to.contain('Usage: npm run transfer -- --from SOURCE --to TARGET')
    })

  it('explains itself with --help', async () => {
    const { code, stdout, stderr } = await runTransfer(['--help'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(/^Usage: npm run transfer -- /)
    expect(stdout).to.contain('With --to - run it as npm run --silent transfer')
  })
})
