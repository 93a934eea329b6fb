import { exampleContent } from '@snippets/domain/entities/snippet.js'
import type { Log } from '@snippets/domain/ports/log.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Environment } from '../settings/setting-parsers.js'
import { type Settings, settingsWarnings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { readTextFileIfAny } from '../text-file.js'
import { version } from '../version.js'
import type { Service } from './service.js'

/** Logs the addresses of the service and warnings about its settings. Greets a terminal. */
export const announce = (service: Service, settings: Settings, environment: Environment, log: Log): void => {
  const { API_TOKENS_FILE, MAX_CONNECTIONS, STORAGE: storage } = settings
  const { url, adminUrl, localPorts } = service
  const storedIn = storages[storage].location(settings)
  const access = O.isSome(API_TOKENS_FILE) ? 'tokens' : 'open'
  log.info({ version, storage, storedIn, access, url, adminUrl }, 'listening')
  const warnings = [...settingsWarnings(settings, environment, localPorts), ...openFilesWarnings(MAX_CONNECTIONS)]
  for (const warning of warnings) log.warn({}, warning)
  if (process.stdout.isTTY) process.stdout.write(makeGreeting(service, settings, storedIn))
}

/**
 * Files beside the connections of clients: LevelDB opens up to 1,000. The MongoDB driver opens 50 connections, unless
 * the URL sets another `maxPoolSize`.
 */
const otherFiles = 1100

/** Warns if the process cannot open as many files as it needs. Other systems than Linux do not tell the limit. */
const openFilesWarnings = (maxConnections: number): readonly string[] => {
  const limits = E.getOrElse(() => '')(readTextFileIfAny('/proc/self/limits'))
  const [, limit = 'unlimited'] = /^Max open files +(\d+)/m.exec(limits) ?? []
  const needed = maxConnections + otherFiles
  return Number(limit) < needed
    ? [`MAX_CONNECTIONS needs ${needed} open files, but ${limit} are allowed: raise ulimit -n or lower MAX_CONNECTIONS`]
    : []
}

const example = JSON.stringify(exampleContent)

/** Returns the text that a terminal shows after the start. Its curl lines can be pasted into a shell. */
export const makeGreeting = ({ url, adminUrl }: Service, { API_TOKENS_FILE }: Settings, storedIn: string): string => {
  const token = O.isSome(API_TOKENS_FILE) ? ` -H 'Authorization: Bearer '"$TOKEN"` : ''
  return [
    `Snippets is listening on ${url}`,
    ...(adminUrl === undefined ? [] : [`Its admin endpoints are on ${adminUrl}`]),
    `Snippets are stored in ${storedIn}.`,
    '',
    `${token === '' ? 'Create' : 'With your token in TOKEN, create'} a snippet, then list the snippets:`,
    `  curl ${url}/api/snippets-viewset/${token} -H 'Content-Type: application/json' -d '${example}'`,
    `  curl ${url}/api/snippets-viewset/${token}`,
    '',
  ].join('\n')
}
