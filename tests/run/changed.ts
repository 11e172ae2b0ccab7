import { execFileSync } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { readSources, type Source } from '../support/sources.ts'

/** Every test of an operation reaches every module through the app: paths through these say nothing. */
const WHOLE_PROGRAM = ['src/app.ts', 'src/main.ts', 'tests/support/app.ts', 'tests/support/installation.ts']
/** They look at all files of the project. */
const ALWAYS = ['tests/tidy.test.ts', 'tests/words.test.ts']

const git = (...args: string[]): string[] => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

/** `main` as others have it, which sorts first, or else that of this clone. */
const MAIN = ['for-each-ref', '--format=%(refname)', '--sort=-refname', 'refs/remotes/origin/main', 'refs/heads/main']

/** The files that differ from where this work left `main`: committed, not yet committed, and new. */
export function changedFiles(): string[] {
  const [main] = git(...MAIN)
  const [base = 'HEAD'] = main === undefined ? [] : git('merge-base', 'HEAD', main)
  const differing = git('diff', '--name-only', '--diff-filter=d', base)
  return [...new Set([...differing, ...git('ls-files', '--others', '--exclude-standard')])]
}

/**
 * Returns a function: whether a test file is touched by these changes: it is or imports one of them, other than
 * through the whole program; it lies in a folder named like that of a changed module; or it names the folder of another
 * changed file.
 */
export function touchedBy(changed: readonly string[]): (test: string) => boolean {
  const sources = new Map(
    readSources('src', 'tests', 'tools', 'sandbox', 'bench').map((source) => [source.path, source]),
  )
  const rooms = new Set(changed.filter((path) => path.startsWith('src/')).map((path) => basename(dirname(path))))
  const others = changed
    .filter((path) => !path.endsWith('.ts'))
    .map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : path))
  return (test) =>
    ALWAYS.includes(test) ||
    test.split('/').some((part) => rooms.has(part)) ||
    reachedFrom(test, sources).some((path) => changed.includes(path)) ||
    others.some((name) => sources.get(test)?.text.includes(name))
}

/** The file and what it imports, directly or through others. */
function reachedFrom(path: string, sources: ReadonlyMap<string, Source>): string[] {
  const reached = new Set([path])
  for (const one of reached) {
    if (WHOLE_PROGRAM.includes(one)) continue
    for (const { target, typeOnly } of sources.get(one)?.imports ?? [])
      if (!typeOnly && sources.has(target)) reached.add(target)
  }
  return [...reached]
}
