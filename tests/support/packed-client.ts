import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const ROOT = new URL('../../', import.meta.url).pathname
const TIMEOUT_MS = 900_000

type Environment = Record<string, string>

/** Runs a program to its end; fails with its output unless it succeeds. */
export function run(program: string, args: string[], { cwd, env = {} }: { cwd: string; env?: Environment }) {
  return new Promise<string>((resolve, reject) => {
    const environment = { ...process.env, ...env }
    execFile(program, args, { cwd, env: environment, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

/** Packs a copy of the client's source into a file below the folder. */
export async function packClient(folder: string) {
  const source = join(folder, 'client')
  await cp(join(ROOT, 'client'), source, { recursive: true, filter: (path) => !path.endsWith('/dist') })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const listed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source })
  const [packed] = JSON.parse(listed.slice(listed.indexOf('['))) as { filename: string; files: { path: string }[] }[]
  assert(packed)
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

/**
 * The client as a partner gets it: packed, and installed from the tarball into an empty folder, without a network. The
 * types of Node are there too.
 */
export async function installPackedClient() {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-client-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const { tarball, files } = await packClient(folder)
  const partner = join(folder, 'partner')
  await mkdir(partner)
  await writeFile(join(partner, 'package.json'), '{ "name": "partner", "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: partner })
  await mkdir(join(partner, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', name), join(partner, 'node_modules', name))
  return { folder: partner, files, tool: (name: string) => join(ROOT, 'node_modules/.bin', name) }
}
