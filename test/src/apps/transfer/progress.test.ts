import { progressOn } from '@snippets/apps/transfer/progress.js'
import { expect } from 'chai'

describe('The progress of a transfer', () => {
  let seconds: number
  let written: string[]
  beforeEach(() => {
    seconds = 0
    written = []
  })
  const start = (isTTY: boolean) => {
    const write = (text: string): boolean => written.push(text) > 0
    return progressOn({ isTTY, write }, () => seconds * 1000)
  }

  it('is a line every five seconds in a log', () => {
    const progress = start(false)
    progress.begin('copying', 100)
    for (seconds = 1; seconds <= 11; seconds++) progress.add(5)
    progress.end()
    expect(written).to.deep.equal([
      'copying [######..................] 25% 25 rows, 5 a second, 15 s left\n',
      'copying [############............] 50% 50 rows, 5 a second, 10 s left\n',
    ])
  })

  it('is never more than all, though there may be more rows than were counted', () => {
    const progress = start(false)
    progress.begin('copying', 10)
    seconds = 5
    progress.add(20)
    expect(written).to.deep.equal(['copying [########################] 100% 20 rows, 4 a second, 0 s left\n'])
  })

  it('is a bar on a terminal, which is wiped away', () => {
    const progress = start(true)
    progress.begin('copying', undefined)
    progress.add(1)
    seconds = 1
    progress.add(1)
    progress.end()
    const shown = ['copying 0 rows, 0 a second', 'copying 2 rows, 2 a second', '']
    expect(written).to.deep.equal(shown.map(text => `\r\x1b[K${text}`))
  })
})
