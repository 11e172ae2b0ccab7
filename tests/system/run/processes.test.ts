import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { touchedBy } from '../../run/changed.ts'
import { findFiles, LONG } from '../../run/files.ts'
import type { FileResult } from '../../run/messages.ts'
import { runFiles } from '../../run/processes.ts'

const folder = await mkdtemp(join(tmpdir(), 'banyan-run-'))
after(() => rm(folder, { recursive: true }))

const HEAD = `import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
`
/** As short as a busy machine allows. */
const SILENCE_MS = 6_000
/** Long enough for a process to start on a busy machine. */
const LONG_MS = 60_000
const POLL_MS = 20

/** Runs files with these texts one after another in one process, as long as it can run another file. */
async function ran(texts: Record<string, string>, silence_ms = LONG_MS, environment = async () => ({})) {
  const results: FileResult[] = []
  const errors: string[] = []
  const files = Object.keys(texts).map((name) => join(folder, `${name}.test.mjs`))
  for (const [index, text] of Object.values(texts).entries()) await writeFile(files[index] ?? '', HEAD + text)
  await runFiles({
    files,
    processes: 1,
    preloaded: [],
    silence_ms,
    environment: environment(),
    signal: new AbortController().signal,
    onTest: () => {},
    onFile: (result) => void results.push(result),
    onError: (error) => void errors.push(error),
  })
  const outcomes = results.map(({ tests }) => tests.map(({ name, outcome }) => `${outcome} ${name}`))
  return { results, outcomes, errors, ownErrors: results.map((result) => result.errors) }
}

const GOOD = `it('works', () => {})`

describe('a run whose database does not start', () => {
  it('fails with that error, and leaves no process behind that would keep it from ending', async () => {
    await assert.rejects(
      ran({ good: GOOD }, LONG_MS, () => Promise.reject(new Error('no database'))),
      /no database/,
    )
    while (process.getActiveResourcesInfo().includes('ProcessWrap')) await sleep(POLL_MS)
  })
})

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
  const leaving = `it('leaves', async () => { await new Promise(setImmediate); process.exit(3) })`
  const BAD: Record<string, [text: string, error: string | RegExp]> = {
    'when it cannot be loaded, although it has declared tests': [
      `${GOOD}\nthrow new Error('not today')`,
      /^Error: not today/,
    ],
    'when one of its hooks fails': [
      `${GOOD}\nafter(() => { throw new Error('cannot close') })`,
      /^Error: cannot close/,
    ],
    'when it has no tests': ['', 'has no tests'],
    'when it ends the process, with the test that was running': [
      leaving,
      /^its process ended with exit code 3; .* begun: leaves$/,
    ],
    'when it leaves the environment changed': [
      `it('moves', () => { process.env.TZ = 'Asia/Kolkata' })`,
      'leaves process.env.TZ changed, which other files share',
    ],
    'when it leaves a listener': [
      `process.on('SIGTERM', () => {})\n${GOOD}`,
      'leaves the listeners for SIGTERM changed, which other files share',
    ],
  }
  /** All of them in one run, a good one after each, which shares its process with the next bad one. */
  const run = ran(
    Object.fromEntries(
      Object.values(BAD).flatMap(([text], index) => [
        [`bad${index}`, text],
        [`good${index}`, GOOD],
      ]),
    ),
  )

  for (const [index, [when, [, expected]]] of Object.entries(BAD).entries()) {
    it(when, async () => {
      const { ownErrors, outcomes } = await run
      const [bad, good] = [2 * index, 2 * index + 1]
      assert.deepEqual([ownErrors[good], outcomes[good]], [[], ['passed works']])
      assert.equal(ownErrors[bad]?.length, 1, ownErrors[bad]?.join('\n'))
      const [error = ''] = ownErrors[bad] ?? []
      if (typeof expected === 'string') assert.equal(error, expected)
      else assert.match(error, expected)
    })
  }
})

// Each waits for the silence to be long enough; together they take no longer than one.
describe('a file that hangs', { concurrency: true }, () => {
  it('is ended, with the test that was running', async () => {
    const { ownErrors, outcomes } = await ran(
      { waits: `${GOOD}\nit('waits', () => new Promise(() => {}))` },
      SILENCE_MS,
    )
    assert.deepEqual(outcomes, [['passed works']])
    assert.match(String(ownErrors), /^nothing was heard for 6 s; .* begun: waits$/)
  })

  it('is ended also when it blocks the event loop', async () => {
    const blocking = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)' // for ever, and uses no CPU
    const { ownErrors } = await ran({ blocks: `it('blocks', () => void ${blocking})` }, SILENCE_MS)
    assert.match(String(ownErrors), /^nothing was heard for 6 s/)
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

  const open = ran({ open: `setInterval(() => {}, 60_000)\n${GOOD}` }, SILENCE_MS) // waits, so it begins with the file

  it('an open handle is reported, and does not keep the process running', async () => {
    const { errors } = await open
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /^something stays open: .*Timeout/)
  })
})

/** The files with this part in their path, those of both tiers, in their order. */
const order = (seed: string, part = 'tests/') => findFiles({ parts: [part], seed })

describe('the order of the files', () => {
  it('follows from the seed: the same files for each, in another order for another', () => {
    assert.deepEqual(order('1'), order('1'))
    assert.notDeepEqual(order('1'), order('2'))
    assert.deepEqual(order('1').toSorted(), order('2').toSorted())
    assert(order('1').includes('tests/system/run/processes.test.ts'))
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

  it('of a part of a path has the matching files of both tiers', () => {
    assert.deepEqual(order('1', 'run/processes'), ['tests/system/run/processes.test.ts'])
    assert.deepEqual(order('1', 'nowhere'), [])
  })

  it('without one has the files of one tier, which together are all', () => {
    const [fast, system] = (['fast', 'system'] as const).map((tier) => findFiles({ parts: [], seed: '1', tier }))
    assert(fast && system && fast.length > 0 && system.length > 0)
    assert.deepEqual(
      fast.filter((path) => path.startsWith('tests/system/')),
      [],
    )
    assert.deepEqual([...fast, ...system].toSorted(), order('1').toSorted())
    assert.deepEqual(findFiles({ parts: [], seed: '1' }), order('1'), 'no tier: both, of which --changed takes its own')
  })
})

describe('the files that a change touches', () => {
  const touched = (...changed: string[]) => order('1').filter(touchedBy(changed))

  it('are those that import it, and those of a folder with its name', () => {
    const ofDates = touched('src/domains/cover/policies/states.ts')
    assert(ofDates.includes('tests/policies/calendar-days.test.ts'))
    assert(ofDates.some((path) => path.startsWith('tests/api/policies/')))
    assert(!ofDates.includes('tests/kernel/accept.test.ts'))
    assert(ofDates.length < order('1').length / 3, `${ofDates.length}`)
  })

  it('are those that read it', () => {
    assert(touched('migrations/0001_tables.sql').includes('tests/migrations.test.ts'))
    assert(touched('README.md').some((path) => path.endsWith('readme-tour.test.ts')))
  })
})
