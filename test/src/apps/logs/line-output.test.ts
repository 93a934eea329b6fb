import { LineOutput } from '@snippets/apps/logging/line-output.js'
import { levels } from '@snippets/apps/logging/log-line.js'
import { expect } from 'chai'

/** A pipe that can be full, or broken, and keeps what enters it. */
class Pipe {
  readonly entered: string[] = []
  fault: 'EAGAIN' | 'EPIPE' | undefined
  maxAtOnce = 4096
  /** Writes after which it is full. */
  writes = Number.POSITIVE_INFINITY

  readonly write = (bytes: Uint8Array): number => {
    if (this.writes-- === 0) this.fault = 'EAGAIN'
    if (this.fault !== undefined) throw Object.assign(new Error(this.fault), { code: this.fault })
    this.entered.push(Buffer.from(bytes.subarray(0, this.maxAtOnce)).toString())
    return Math.min(bytes.length, this.maxAtOnce)
  }

  get text(): string {
    return this.entered.join('')
  }
}

describe('LineOutput', () => {
  let pipe: Pipe
  let told: number[]
  let output: LineOutput
  beforeEach(() => {
    pipe = new Pipe()
    told = []
    output = new LineOutput({ write: pipe.write, maxWaiting: 100, onResume: dropped => told.push(dropped) })
  })

  const writeLines = (count: number, line = 'nine char\n', level: number = levels.info) => {
    for (let i = 0; i < count; i++) output.write(line, level)
  }

  it('writes the lines of one turn of the event loop at once', async () => {
    writeLines(3)
    expect(pipe.entered).to.deep.equal([])
    await new Promise(resolve => setImmediate(resolve))
    expect(pipe.entered).to.deep.equal(['nine char\n'.repeat(3)])
  })

  it('cuts between lines, so that each write enters a pipe whole', () => {
    const large = new LineOutput({ write: pipe.write, maxWaiting: 100_000, onResume: () => {} })
    for (let i = 0; i < 100; i++) large.write(`${'é'.repeat(i * 7)}\n`, levels.info)
    large.flush(0)
    expect(pipe.entered.length).to.be.greaterThan(10)
    expect(pipe.entered.every(text => text.endsWith('\n') && Buffer.byteLength(text) <= 4096)).to.equal(true)
    expect(pipe.text.split('\n')).to.have.length(101)
    pipe.entered.length = 0
    // a byte too many
    for (const length of [1999, 2096]) large.write(`${'x'.repeat(length)}\n`, levels.info)
    large.flush(0)
    expect(pipe.entered.map(text => text.length)).to.deep.equal([2000, 2097])
  })

  it('has room again for as much as it has written or dropped, turn after turn', async () => {
    output = new LineOutput({ write: pipe.write, maxWaiting: 10_000, onResume: dropped => told.push(dropped) })
    for (const fault of [undefined, 'EPIPE', undefined] as const) {
      pipe.fault = fault
      writeLines(1000)
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(pipe.text).to.equal('nine char\n'.repeat(2000))
    expect(told).to.deep.equal([1000])
  })

  it('has room for errors when it has none for other lines', () => {
    pipe.fault = 'EAGAIN'
    writeLines(25, undefined, levels.warn)
    writeLines(5, 'an error\n', levels.error)
    pipe.fault = undefined
    output.flush(0)
    expect(pipe.text).to.equal('nine char\n'.repeat(10) + 'an error\n'.repeat(5))
    expect(told).to.deep.equal([15])
  })

  it('goes on in the middle of a long line of which the pipe took a part', () => {
    pipe.maxAtOnce = 7
    writeLines(1, `${'long'.repeat(20)}\n`)
    output.flush(0)
    expect(pipe.text).to.equal(`${'long'.repeat(20)}\n`)
  })

  it('writes a long line without a newline', () => {
    output.write('long'.repeat(2000), levels.error)
    output.flush(0)
    expect(pipe.text).to.equal('long'.repeat(2000))
  })

  it('uses the room of what was written for later lines', () => {
    const line = `${'line'.repeat(1000)}\n`
    pipe.writes = 3
    writeLines(16, line, levels.error)
    output.flush(0)
    writeLines(3, line, levels.error)
    pipe.fault = undefined
    output.flush(0)
    expect([pipe.text === line.repeat(19), told]).to.deep.equal([true, []])
  })

  it('cuts nothing at the end of its buffer, however many bytes the characters take', () => {
    const large = new LineOutput({ write: pipe.write, maxWaiting: 106_000, onResume: () => {} })
    const [narrow, wide] = [`${'x'.repeat(999)}\n`, `${'é'.repeat(499)}é\n`]
    pipe.writes = 20
    for (let i = 0; i < 100; i++) large.write(narrow, levels.info)
    large.flush(0)
    for (let i = 0; i < 78; i++) large.write(wide, levels.info)
    pipe.fault = undefined
    large.flush(0)
    expect(pipe.text === narrow.repeat(100) + wide.repeat(78)).to.equal(true)
  })

  it('keeps what a full pipe does not take, drops what is more, and tells how much it was', () => {
    pipe.fault = 'EAGAIN'
    writeLines(25)
    output.flush(0)
    expect([pipe.text, told]).to.deep.equal(['', []])
    pipe.fault = undefined
    output.flush(0)
    expect(pipe.text).to.equal('nine char\n'.repeat(10))
    expect(told).to.deep.equal([15])
    writeLines(1)
    output.flush(0)
    expect(told).to.deep.equal([15])
  })

  it('keeps as many bytes as it may, however many characters they are', () => {
    pipe.fault = 'EAGAIN'
    writeLines(25, 'éééé \n')
    pipe.fault = undefined
    output.flush(0)
    expect(pipe.text).to.equal('éééé \n'.repeat(10))
  })

  it('writes at the end of the process also that lines were dropped', () => {
    const late = new LineOutput({
      write: pipe.write,
      maxWaiting: 100,
      onResume: n => late.write(`${n} dropped\n`, levels.warn),
    })
    for (let i = 0; i < 11; i++) late.write('nine char\n', levels.info)
    late.flush(100)
    expect(pipe.text).to.equal(`${'nine char\n'.repeat(10)}1 dropped\n`)
  })

  it('takes an error also when there is no room for other lines', () => {
    pipe.fault = 'EAGAIN'
    writeLines(11)
    output.write('the cause\n', levels.fatal)
    pipe.fault = undefined
    output.flush(0)
    expect(pipe.text.endsWith('the cause\n')).to.equal(true)
  })

  it('drops what a broken pipe does not take, and tells a later reader how much it was', () => {
    pipe.fault = 'EPIPE'
    for (let i = 0; i < 3; i++) {
      writeLines(2)
      output.flush(0)
    }
    pipe.fault = undefined
    output.flush(0)
    expect(told).to.deep.equal([])
    writeLines(1)
    output.flush(0)
    expect(pipe.text).to.equal('nine char\n')
    expect(told).to.deep.equal([6])
  })
})
