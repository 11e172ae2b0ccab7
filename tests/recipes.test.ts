import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
const PAGE = readFileSync(`${ROOT}/docs/recipes.md`, 'utf8')

/** Git must take the files for those of this folder alone: inside another repository it passes over a diff without a word. */
const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(ROOT) }

/** Returns why a diff does not apply to the files as they are; empty when it does. */
function rejectionOf(diff: string): string {
  const { status, stderr } = spawnSync('git', ['apply', '--check', '-'], {
    cwd: ROOT,
    env,
    input: diff,
    encoding: 'utf8',
  })
  return status === 0 ? '' : stderr || 'git apply failed'
}

const sections = PAGE.split(/^## /m).slice(1)
const diffsIn = (text: string) => [...text.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = '']) => diff)

describe('the recipes', () => {
  for (const section of sections) {
    const [title = ''] = section.split('\n')
    it(`${title}: its diff applies`, () => {
      const diffs = diffsIn(section)
      assert(diffs.length > 0, 'there is a diff')
      for (const diff of diffs) assert.equal(rejectionOf(diff), '', 'the lines have changed: adapt docs/recipes.md')
    })
  }

  it('are those of CONTRIBUTING', () => {
    const [, table = ''] = readFileSync(`${ROOT}/CONTRIBUTING.md`, 'utf8').split(/^## Recipes$/m)
    const [rows = ''] = table.split(/^## /m)
    const changes = [...rows.matchAll(/^\| (an? [^|]+) \|/gm)].map(([, change]) => change)
    assert.deepEqual(
      sections.map((section) => section.split('\n')[0]),
      changes,
    )
  })

  it('would not hold once a line that they change has changed', () => {
    const [first = ''] = diffsIn(PAGE)
    const stale = first.replace(/^ (?=.*\S).*$/m, ' a line that is not there')
    assert.notEqual(stale, first)
    assert.match(rejectionOf(stale), /does not apply/)
  })
})
