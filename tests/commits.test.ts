import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'

/** The last commit before subjects had a form. */
const BEFORE = '12e5f3ac9f393d17cef9cc85cb1c94deb1650ee8'
const SUBJECT_LENGTH_MAX = 72
/** An area or several, in lower case, and what is new there. */
const SUBJECT = /^[a-z][a-z0-9 ,-]*: \S/

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined // an export of the files, or a clone without the history
  }
}

/** What is wrong with a subject; undefined when nothing is. */
function errorOf(subject: string): string | undefined {
  if (subject.length > SUBJECT_LENGTH_MAX) return `longer than ${SUBJECT_LENGTH_MAX}: ${subject}`
  if (!SUBJECT.test(subject)) return `does not begin with its area, as in "policies: …": ${subject}`
  return undefined
}

describe('the subject of a commit', () => {
  it('has at most 72 characters and begins with its area', () => {
    const log = git('log', '--no-merges', '--format=%s', `${BEFORE}..HEAD`) ?? ''
    const errors = log
      .split('\n')
      .filter(Boolean)
      .flatMap((subject) => errorOf(subject) ?? [])
    assert.deepEqual(errors, [])
  })

  it('is refused without an area, or when it is too long', () => {
    assert.equal(errorOf('policies: refuse to issue an archived benefit'), undefined)
    assert.match(errorOf('Refuse to issue an archived benefit') ?? '', /area/)
    assert.match(errorOf(`policies: ${'very '.repeat(20)}long`) ?? '', /longer/)
  })
})
