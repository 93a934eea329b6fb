import { copyFile, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from './workspace-root.js'

/** Temporary folders in `dist` belong to other tests, which may delete them at any time. */
const isLeftOut = (path: string): boolean => /^(?:node_modules|\.git|reports)$|[/\\]dist[/\\][a-z-]+-\w{6}$/.test(path)

/** Creates a copy with links to the dependencies, which npm scripts may change while tests run in the original. */
export const copyWorkspace = async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'snippets-')))
  await cp(root, folder, {
    recursive: true,
    filter: source => !isLeftOut(relative(root, source)),
    // the links between the packages are relative, so they lead to the copies
    verbatimSymlinks: true,
    // otherwise the compiler would build everything again
    preserveTimestamps: true,
  })
  const libraries = join(folder, 'node_modules')
  await mkdir(libraries)
  for (const name of await readdir(join(root, 'node_modules')))
    await symlink(join(root, 'node_modules', name), join(libraries, name))
  // marks the dependencies as installed, because an install in the copy would change the original
  await copyFile(join(libraries, '.pnpm/lock.yaml'), join(folder, 'pnpm-lock.yaml'))
  return { folder, remove: () => rm(folder, { recursive: true }) }
}
