export type Progress = Readonly<{ end: () => void }>

/** One line that is rewritten on a terminal; elsewhere a line every ten seconds. */
export const showProgress = (text: () => string): Progress => {
  const { isTTY } = process.stdout
  const begun = performance.now()
  const show = (): void => {
    const line = `${text()}, ${((performance.now() - begun) / 1000).toFixed(0)} s`
    process.stdout.write(isTTY ? `\r\x1b[K${line}` : `${line}\n`)
  }
  if (isTTY) show()
  const timer = setInterval(show, isTTY ? 1000 : 10_000)
  return {
    end: () => {
      clearInterval(timer)
      if (isTTY) process.stdout.write('\r\x1b[K')
    },
  }
}
