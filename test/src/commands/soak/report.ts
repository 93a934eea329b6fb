import type { Finding } from './scenario.js'

export type Row = Readonly<{ scenario: string }> & Finding

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const markdownTable = (rows: readonly Row[]): string =>
  [
    '| Scenario | Goal | Measured | |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ scenario, goal, measured, met }) =>
        `| ${[scenario, goal, measured].map(cell).join(' | ')} | ${met ? 'pass' : 'fail'} |`,
    ),
  ].join('\n')
