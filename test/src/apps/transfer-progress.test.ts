import { PassThrough } from 'node:stream'
import { mock } from 'node:test'
import { showProgress } from '@snippets/apps/transfer/progress.js'
import { expect } from 'chai'

describe('The progress of a transfer', () => {
  let now = 0
  beforeEach(() => {
    now = 0
    mock.method(performance, 'now', () => now)
    mock.timers.enable({ apis: ['setInterval'] })
  })
  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })
  const passSeconds = (seconds: number): void => {
    now += seconds * 1000
    mock.timers.tick(seconds * 1000)
  }
  const start = (isTTY: boolean) => {
    const [stream, counts] = [
      Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY }),
      { copied: 0, compared: 0 },
    ]
    const stop = showProgress(stream, counts)
    return { counts, stop, shown: (): string => stream.read() ?? '' }
  }

  it('is a line every ten seconds in a file, with the step, its rows and the present speed', () => {
    const { counts, stop, shown } = start(false)
    counts.copied = 25_000
    passSeconds(9)
    expect(shown()).to.equal('')
    passSeconds(1)
    expect(shown()).to.equal('Rows copied: 25000, 2500 a second\n')
    passSeconds(10)
    expect(shown()).to.equal('Rows copied: 25000, 0 a second\n')
    Object.assign(counts, { copied: 30_000, compared: 10_000 })
    passSeconds(10)
    expect(shown()).to.equal('Rows compared: 10000 of 30000, 1500 a second\n')
    stop()
    passSeconds(60)
    expect(shown()).to.equal('')
  })

  it('is one line on a terminal, which changes each second and is removed at the end', () => {
    const [{ counts, stop, shown }, removed] = [start(true), '\x1b[2K\x1b[1G']
    counts.copied = 10
    passSeconds(1)
    expect(shown()).to.equal(`${removed}Rows copied: 10, 10 a second`)
    counts.copied = 30
    passSeconds(1)
    expect(shown()).to.equal(`${removed}Rows copied: 30, 20 a second`)
    stop()
    expect(shown()).to.equal(removed)
    passSeconds(60)
    expect(shown()).to.equal('')
  })
})
