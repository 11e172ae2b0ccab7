import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Prepares what `npm pack` packs, and removes what nothing else may find. Node strips no types below `node_modules`, so the
 * modules are compiled into `dist`; `src/kernel/program-files.ts` knows where everything else lies. With the shrinkwrap, an
 * installation has the versions that were tested, at every depth.
 */
const root = new URL('../', import.meta.url)
const DIST = new URL('dist', root)
const SHRINKWRAP = new URL('npm-shrinkwrap.json', root)

type Entry = { dev?: boolean; link?: boolean } & Record<string, unknown>

/** The lock file without what is for development only. */
function shrinkwrap(): string {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const packages = Object.entries(lock.packages).flatMap(([path, entry]): [string, Entry][] => {
    if (path === '') {
      const { workspaces: _workspaces, devDependencies: _devDependencies, ...about } = entry
      return [[path, about]]
    }
    return path.startsWith('node_modules/') && !entry.dev && !entry.link ? [[path, entry]] : []
  })
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`
}

if (process.argv[2] === 'clean') {
  rmSync(SHRINKWRAP)
} else {
  rmSync(DIST, { recursive: true, force: true })
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit', cwd: root })
  if (status === 0) writeFileSync(SHRINKWRAP, shrinkwrap())
  process.exitCode = status ?? 1
}
