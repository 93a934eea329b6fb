export const countTurns = () => {
  let [turn, isOver] = [0, false]
  const counting = (async () => {
    for (; !isOver; turn++) await new Promise(setImmediate)
  })()
  return {
    current: () => turn,
    stop: async () => {
      isOver = true
      await counting
    },
  }
}
