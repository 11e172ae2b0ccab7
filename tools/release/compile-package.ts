import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { COMMIT_FILE } from '../../src/kernel/program-files.ts'
import { COMMIT } from '../../src/kernel/program-version.ts'
import { type LockEntry, reachedPackages } from './reached-packages.ts'

/**
 * Prepares what `npm pack` packs, and removes what nothing else may find. Node strips no types below `node_modules`, so the
 * modules are compiled into `dist`; `src/kernel/program-files.ts` knows where everything else lies. With the shrinkwrap, an
 * installation has the versions that were tested, at every depth.
 */
const root = new URL('../../', import.meta.url)
const DIST = new URL('dist', root)
const SHRINKWRAP = new URL('npm-shrinkwrap.json', root)

type Lock = { packages: Record<string, LockEntry> }

/** The lock file without the workspaces, which are not in the package. `npm ci` wants to see what is for development, too. */
function shrinkwrap(): string {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lock
  const { workspaces: _workspaces, ...about } = lock.packages[''] as LockEntry
  const reached = reachedPackages(lock.packages, { dev: true })
  const others = Object.entries(lock.packages).filter(([path]) => reached.has(path))
  return `${JSON.stringify({ ...lock, packages: { '': about, ...Object.fromEntries(others) } }, null, 2)}\n`
}

if (process.argv[2] === 'clean') {
  rmSync(SHRINKWRAP)
} else {
  rmSync(DIST, { recursive: true, force: true })
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit', cwd: root })
  if (status === 0) {
    chmodSync(new URL('dist/src/main.js', root), 0o755) // npm does that only where it installs the package
    writeFileSync(SHRINKWRAP, shrinkwrap())
    writeFileSync(COMMIT_FILE, `${COMMIT}\n`)
  }
  process.exitCode = status ?? 1
}
