import { demoSnippets, demoUsers } from './demo-data.js'
import { run } from './run.js'
import type { Service } from './service.js'
import { processEnvironment } from './settings/environment.js'
import { refuseArguments } from './settings/refuse-arguments.js'

const createSnippets = async ({ url }: Service): Promise<void> => {
  for (const snippet of demoSnippets) {
    const response = await fetch(`${url}/api/snippets/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(snippet),
    })
    if (!response.ok) throw new Error(`"${snippet.title}" was refused: ${await response.text()}`)
  }
}

refuseArguments(process.argv.slice(2))
const { USERS, ...environment } = processEnvironment()

await run({ ...environment, USERS: USERS || demoUsers.join(','), STORAGE: 'memory', DATA_DIR: '' }, createSnippets)
