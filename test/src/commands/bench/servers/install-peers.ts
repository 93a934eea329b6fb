import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../support/workspace-root.js'
import { peersFolder } from './competitors.js'

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** pnpm keeps a copy of the lockfile from which it installed. */
const areInstalled = (): boolean =>
  textOf(join(peersFolder, 'node_modules/.pnpm/lock.yaml')) === textOf(join(peersFolder, 'pnpm-lock.yaml'))

/** The other frameworks, at their locked versions. False when they cannot be installed, of which npx has said why. */
export const installPeers = (): boolean => {
  if (areInstalled()) return true
  console.log('Installing the frameworks to compare with ...')
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const args = [
    '--yes',
    `pnpm@${engines.pnpm}`,
    'install',
    '--ignore-workspace',
    '--frozen-lockfile',
    '--prefer-offline',
  ]
  const { npm_config_loglevel: _, ...others } = process.env
  const env = { ...others, CI: 'true', npm_config_update_notifier: 'false' }
  return spawnSync('npx', args, { cwd: peersFolder, env, stdio: ['ignore', 2, 2] }).status === 0
}
