import { cp, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** Neither packed nor needed for packing. */
const LEFT_OUT = ['.banyan', '.git', 'bench', 'dist', 'node_modules', 'npm-shrinkwrap.json', 'release', 'tests']

/** Copies what the project consists of, with its packages: packing writes into the folder that it packs. */
export async function copySource(folder: string): Promise<string> {
  const isWanted = (path: string) => !LEFT_OUT.includes(relative(ROOT, path)) && !path.endsWith('.tgz')
  await cp(ROOT, folder, { recursive: true, filter: isWanted })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
