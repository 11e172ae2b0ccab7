import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { findFiles, LONG } from './files.ts'
import type { FileResult } from './messages.ts'
import { runFiles } from './processes.ts'

const folder = await mkdtemp(join(tmpdir(), 'banyan-run-'))
after(() => rm(folder, { recursive: true }))

const HEAD = `import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
`
/** Long enough for a process to start on a busy machine. */
const LONG_MS = 60_000

/** Runs files with these texts one after another in one process, as long as it can run another file. */
async function ran(texts: Record<string, string>, silence_ms = LONG_MS) {
  const results: FileResult[] = []
  const errors: string[] = []
  const files = Object.keys(texts).map((name) => join(folder, `${name}.test.mjs`))
  for (const [index, text] of Object.values(texts).entries()) await writeFile(files[index] ?? '', HEAD + text)
  await runFiles({
    files,
    processes: 1,
    preloaded: [],
    silence_ms,
    environment: Promise.resolve({}),
    signal: new AbortController().signal,
    onTest: () => {},
    onFile: (result) => void results.push(result),
    onError: (error) => void errors.push(error),
  })
  const outcomes = results.map(({ tests }) => tests.map(({ name, outcome }) => `${outcome} ${name}`))
  return { results, outcomes, errors, ownErrors: results.map((result) => result.errors) }
}

const GOOD = `it('works', () => {})`

describe('files in one process', () => {
  it('report each test, with its suites and the error that it threw', async () => {
    const { results, outcomes } = await ran({
      mixed: `describe('sums', () => {
        it('add up', () => {})
        it('do not', () => assert.equal(1 + 1, 3, 'one and one'))
      })`,
    })
    assert.deepEqual(outcomes, [['passed sums › add up', 'failed sums › do not']])
    const { error = '' } = results[0]?.tests[1] ?? {}
    assert.match(error, /^AssertionError.*: one and one[^]*mixed\.test\.mjs:5/)
    assert.doesNotMatch(error, /node:internal/)
    assert.deepEqual(results[0]?.errors, [])
  })

  it('share no hooks: each applies to the tests of its own file, and is closed before the next begins', async () => {
    const { outcomes } = await ran({
      one: `globalThis.heard = []
        beforeEach(() => heard.push('before each of one'))
        after(() => heard.push('after one'))
        it('is the first', () => {})`,
      other: `heard.push('other')
        await new Promise(setImmediate)
        it('is the second', () => assert.deepEqual(heard, ['before each of one', 'after one', 'other']))`,
    })
    assert.deepEqual(outcomes, [['passed is the first'], ['passed is the second']])
  })

  it('are all collected before the first test runs, so that a test can use what is declared below it', async () => {
    const { outcomes } = await ran({
      order: `it('sees it', () => assert.equal(below, 1))
        await new Promise(setImmediate)
        const below = 1`,
    })
    assert.deepEqual(outcomes, [['passed sees it']])
  })
})

describe('a failing file is named, and the next one runs', () => {
  const errorOf = async (text: string, silence_ms?: number) => {
    const { ownErrors, outcomes } = await ran({ bad: text, good: GOOD }, silence_ms)
    assert.deepEqual([ownErrors[1], outcomes[1]], [[], ['passed works']])
    assert.equal(ownErrors[0]?.length, 1, ownErrors[0]?.join('\n'))
    return ownErrors[0]?.[0] ?? ''
  }

  it('when it cannot be loaded, although it has declared tests', async () => {
    assert.match(await errorOf(`${GOOD}\nthrow new Error('not today')`), /^Error: not today/)
  })

  it('when one of its hooks fails', async () => {
    assert.match(await errorOf(`${GOOD}\nafter(() => { throw new Error('cannot close') })`), /^Error: cannot close/)
  })

  it('when it has no tests', async () => {
    assert.equal(await errorOf(''), 'has no tests')
  })

  it('when it ends the process, with the test that was running', async () => {
    const leaving = `it('leaves', async () => { await new Promise(setImmediate); process.exit(3) })`
    assert.match(await errorOf(leaving), /^its process ended with exit code 3; .* begun: leaves$/)
  })

  it('when it leaves shared state changed', async () => {
    assert.equal(
      await errorOf(`it('moves', () => { process.env.TZ = 'Asia/Kolkata' })`),
      'leaves process.env.TZ changed, which other files share',
    )
    const listener = `process.on('SIGTERM', () => {})\n${GOOD}`
    assert.equal(await errorOf(listener), 'leaves the listeners for SIGTERM changed, which other files share')
  })
})

describe('a file that hangs', () => {
  const SILENCE_MS = 3_000

  it('is ended, with the test that was running', async () => {
    const { ownErrors, outcomes } = await ran(
      { waits: `${GOOD}\nit('waits', () => new Promise(() => {}))` },
      SILENCE_MS,
    )
    assert.deepEqual(outcomes, [['passed works']])
    assert.match(String(ownErrors), /^nothing was heard for 3 s; .* begun: waits$/)
  })

  it('is ended also when it blocks the event loop', async () => {
    const { ownErrors } = await ran({ spins: `it('spins', () => { for (;;); })` }, SILENCE_MS)
    assert.match(String(ownErrors), /^nothing was heard for 3 s/)
  })
})

describe('when the last file is done', () => {
  it('an error after its test ended is reported with the name of the test', async () => {
    const late = `it('is early', () => void setTimeout(() => { throw new Error('late') }, 20))
      it('waits', () => new Promise((resolve) => setTimeout(resolve, 200)))`
    const { outcomes, errors } = await ran({ late })
    assert.deepEqual(outcomes, [['passed is early', 'passed waits']])
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /"is early".*Error: late/)
  })

  it('an open handle is reported, and does not keep the process running', async () => {
    const { errors } = await ran({ open: `setInterval(() => {}, 60_000)\n${GOOD}` })
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /^something stays open: .*Timeout/)
  })
})

describe('the order of the files', () => {
  const order = (seed: string, ...parts: string[]) => findFiles({ parts, seed })

  it('follows from the seed: the same files for each, in another order for another', () => {
    assert.deepEqual(order('1'), order('1'))
    assert.notDeepEqual(order('1'), order('2'))
    assert.deepEqual(order('1').toSorted(), order('2').toSorted())
    assert(order('1').includes('tests/run/processes.test.ts'))
  })

  it('starts with the files that take longest', () => {
    for (const beginning of LONG)
      assert(
        order('1').some((path) => path.startsWith(beginning)),
        beginning,
      )
    const last = order('1').findLastIndex((path) => LONG.some((beginning) => path.startsWith(beginning)))
    assert(
      order('1')
        .slice(0, last)
        .every((path) => LONG.some((beginning) => path.startsWith(beginning))),
    )
  })

  it('of a part of a path has the matching files', () => {
    assert.deepEqual(order('1', 'run/processes'), ['tests/run/processes.test.ts'])
    assert.deepEqual(order('1', 'nowhere'), [])
  })
})
