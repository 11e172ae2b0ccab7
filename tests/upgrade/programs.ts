import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
/** Neither code of the program nor needed by it. */
const LEFT_OUT = ['.git', '.banyan', 'node_modules', 'tests', 'bench']

/** A version of the program in a folder, with its packages. */
export type Program = { version: string; folder: string }

/** Returns the text of a file in a commit. */
export const fileIn = async (commit: string, path: string): Promise<string> =>
  (await run('git', ['show', `${commit}:${path}`], { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX })).stdout

/** Fails when a commit is not in this clone. */
export async function assertHas(commit: string): Promise<void> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).catch(() =>
    assert.fail(
      `The commit ${commit} of the version before is not here, and this test upgrades from it. Fetch the whole history: git fetch --unshallow`,
    ),
  )
}

/** The program of this checkout. */
export const thisVersion = async (): Promise<Program> => ({ version: await versionIn(ROOT), folder: ROOT })

/** Writes the files of a commit into a folder, and gives them the packages that they ask for. */
export async function checkOut(commit: string, folder: string): Promise<Program> {
  await assertHas(commit)
  await mkdir(folder)
  const archive = join(folder, 'archive.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT })
  await run('tar', ['-xf', archive, '-C', folder])
  if (await hasItsPackages(folder)) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--omit=dev'], { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX })
  return { version: await versionIn(folder), folder }
}

type Lock = { packages: Record<string, { version?: string }> }

/** Returns true when each package that a checkout pins is installed here in the same version. */
async function hasItsPackages(folder: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all(
    [folder, ROOT].map(async (path) => JSON.parse(await readFile(join(path, 'package-lock.json'), 'utf8')) as Lock),
  )
  return Object.entries(theirs?.packages ?? {}).every(
    ([path, { version }]) => path === '' || ours?.packages[path]?.version === version,
  )
}

/** Copies this version as the one after it, with further migrations, by their names. */
export async function makeNextVersion(
  folder: string,
  migrationsOf: (version: string) => Record<string, string>,
): Promise<Program> {
  const { version } = await thisVersion()
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const next = `${major}.${minor + 1}.0`
  await cp(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(ROOT, path)) })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await replaceIn(join(folder, 'package.json'), `"version": "${version}"`, `"version": "${next}"`)
  await replaceIn(
    join(folder, 'src/kernel/program-version.ts'),
    /VERSION_BEFORE = '.*'/,
    `VERSION_BEFORE = '${version.replace(/-.*/, '')}'`,
  )
  await mkdir(join(folder, 'migrations/contract'), { recursive: true })
  for (const [name, sql] of Object.entries(migrationsOf(next))) await writeFile(join(folder, 'migrations', name), sql)
  return { version: next, folder }
}

async function replaceIn(path: string, former: string | RegExp, text: string): Promise<void> {
  const before = await readFile(path, 'utf8')
  const after = before.replace(former, text)
  assert.notEqual(after, before, path)
  await writeFile(path, after)
}

async function versionIn(folder: string): Promise<string> {
  return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
