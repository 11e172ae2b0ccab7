import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { programFile } from './program-files.ts'

/** The version of the program, from its package; nothing else states it. */
export const VERSION = (JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as { version: string }).version

/** The version before this one: it runs alongside it during an upgrade, and none that is older may. */
export const VERSION_BEFORE = '0.1.0'

/** Returns true when a version such as `1.9.2` comes before another such as `1.10.0`. */
export function isOlderVersion(version: string, than: string): boolean {
  const [parts, others] = [partsOf(version), partsOf(than)]
  const index = parts.findIndex((part, at) => part !== others[at])
  return index >= 0 && (parts[index] ?? 0) < (others[index] ?? 0)
}

export const newestVersion = (versions: readonly [string, ...string[]]): string =>
  versions.reduce((newest, version) => (isOlderVersion(newest, version) ? version : newest))

function partsOf(version: string): number[] {
  assert(/^\d+\.\d+\.\d+$/.test(version), `a version has three numbers: ${version}`)
  return version.split('.').map(Number)
}
