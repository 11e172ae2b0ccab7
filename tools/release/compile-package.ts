import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Prepares what `npm pack` packs, and removes what nothing else may find. Node strips no types below `node_modules`, so the
 * modules are compiled into `dist`; `src/kernel/program-files.ts` knows where everything else lies. With the shrinkwrap, an
 * installation has the versions that were tested, at every depth.
 */
const root = new URL('../../', import.meta.url)
const DIST = new URL('dist', root)
const SHRINKWRAP = new URL('npm-shrinkwrap.json', root)

type Lock = { packages: Record<string, { workspaces?: string[] }> }

/** The lock file without the client, which is not in the package. `npm ci` wants to see those for development, too. */
function shrinkwrap(): string {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lock
  const { workspaces = [], ...about } = lock.packages[''] ?? {}
  const isClient = (path: string) => workspaces.includes(path) || path === 'node_modules/@banyan/client'
  const others = Object.entries(lock.packages).filter(([path]) => path !== '' && !isClient(path))
  return `${JSON.stringify({ ...lock, packages: { '': about, ...Object.fromEntries(others) } }, null, 2)}\n`
}

if (process.argv[2] === 'clean') {
  rmSync(SHRINKWRAP)
} else {
  rmSync(DIST, { recursive: true, force: true })
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit', cwd: root })
  if (status === 0) writeFileSync(SHRINKWRAP, shrinkwrap())
  process.exitCode = status ?? 1
}
