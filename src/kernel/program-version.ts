import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { COMMIT_FILE, IS_CHECKOUT, programFile } from './program-files.ts'

const COMMIT_LENGTH = 12
const UNKNOWN_COMMIT = 'unknown'

/** The version of the program, from its package; nothing else states it. With `-dev`, it is not released yet. */
export const VERSION = (JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as { version: string }).version

/** The three numbers of the version: what programs and database compare. */
export const RELEASE = VERSION.replace(/-.*/, '')

/** The version before this one: it runs alongside it during an upgrade, and none that is older may. */
export const VERSION_BEFORE = '0.2.0'

/** The commit that the program was made from: written when it was packed, read once in a checkout, else `unknown`. */
export const COMMIT = readCommit()

/** Version and commit, as semantic versions have them: `0.3.0-dev+1a2b3c4d5e6f`. */
export const BUILD = COMMIT === UNKNOWN_COMMIT ? VERSION : `${VERSION}+${COMMIT}`

function readCommit(): string {
  if (!IS_CHECKOUT) return existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, 'utf8').trim() : UNKNOWN_COMMIT
  try {
    const args = ['rev-parse', `--short=${COMMIT_LENGTH}`, 'HEAD']
    return execFileSync('git', args, { cwd: programFile(''), encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return UNKNOWN_COMMIT // without git, or without its history
  }
}

/** Returns true when a version such as `1.9.2` comes before another such as `1.10.0`. */
export function isOlderVersion(version: string, than: string): boolean {
  const [parts, others] = [parseVersion(version), parseVersion(than)]
  const index = parts.findIndex((part, at) => part !== others[at])
  return index >= 0 && (parts[index] ?? 0) < (others[index] ?? 0)
}

export const newestVersion = (versions: readonly [string, ...string[]]): string =>
  versions.reduce((newest, version) => (isOlderVersion(newest, version) ? version : newest))

function parseVersion(version: string): number[] {
  assert(/^\d+\.\d+\.\d+$/.test(version), `a version that is compared has three numbers: ${version}`)
  return version.split('.').map(Number)
}
