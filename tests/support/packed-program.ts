import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './packed-client.ts'
import { copySource } from './source-copy.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Unpacks the package below a folder, with the packages of this checkout; returns the path of the program. */
export async function unpackProgram(folder: string): Promise<string> {
  const source = await copySource(join(folder, 'source'))
  const listed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source })
  const unpacked = join(folder, 'package')
  await mkdir(unpacked)
  const tarball = join(folder, listed.trim().split('\n').at(-1) ?? '')
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', unpacked], { cwd: folder })
  await symlink(join(ROOT, 'node_modules'), join(unpacked, 'node_modules'))
  return join(unpacked, 'dist/src/main.js')
}
