import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { startIdentityProviderDouble } from '../../support/identity-provider-double.ts'
import type { Counted, Report } from './count-work.ts'

/**
 * Blocks of code that a request without a token may run, in those of `/livez`, which runs some 740. Work is counted rather than timed, so
 * that a busy machine counts the same. Measured: at most 143, for a query of 7,500 parameters. The search that completed each letter of
 * `s s s …` ran 2,840, in 100 to 200 ms; 200 take less than 10 ms.
 */
const WORK_MAX = 200
/** In searches for one word, which run some 9,500: their blocks take longer than most. Measured: 7; `s s s …` had 220. */
const SEARCH_MAX = 10
/** Measured: 3, for a one-time code. */
const STATEMENTS_MAX = 4
/** Measured: 1.7 MB, the script of the page where operations are tried. */
const BYTES_MAX = 2 * 1_024 * 1_024

const double = await startIdentityProviderDouble()

async function reportOf(issuer: string): Promise<Report> {
  const program = new URL('./count-work.ts', import.meta.url)
  const child = fork(program, [issuer], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report | number | null]
  assert(typeof report === 'object' && report !== null, 'the program has counted')
  await ended
  return report
}

const { routes, known, counted } = await reportOf(double.issuer)

const first = (what: string) => counted.find((one) => one.what.startsWith(what))?.blocks ?? assert.fail(what)
const PLAIN = first('GET /livez:')
const SEARCH_OF_ONE_WORD = first('GET /docs/search.json: GET /docs/search.json?q=wallet')

/** The requests for which this is more than the maximum, each with the number. */
const above = (numberOf: (one: Counted) => number, max: number) =>
  counted.flatMap((one) => (numberOf(one) > max ? [`${numberOf(one).toFixed(1)} > ${max}: ${one.what}`] : []))

describe('the dearest request to every route that needs no token', () => {
  it('is known: who adds such a route says here which request costs it most', () => {
    assert(routes.length > 30, 'they are found at all')
    assert.deepEqual(known.toSorted(), routes.toSorted())
  })

  it('runs no more code than a fixed multiple of a plain request', () => {
    assert(counted.length > 1_000)
    assert.deepEqual(
      above(({ blocks }) => blocks / PLAIN, WORK_MAX),
      [],
    )
  })

  it('runs no more code, when it searches, than a few searches for one word', () => {
    const isSearch = ({ what }: Counted) => what.startsWith('GET /docs/search') && what.includes('?q=')
    assert(counted.filter(isSearch).length > 10)
    assert.deepEqual(
      above((one) => (isSearch(one) ? one.blocks / SEARCH_OF_ONE_WORD : 0), SEARCH_MAX),
      [],
    )
  })

  it('sends few statements, and gets a response of bounded length', () => {
    assert(counted.some(({ statements }) => statements > 0))
    assert.deepEqual(
      above(({ statements }) => statements, STATEMENTS_MAX),
      [],
    )
    assert.deepEqual(
      above(({ bytes }) => bytes, BYTES_MAX),
      [],
    )
  })

  it('is served or refused, and no server error', () => {
    const failed = counted.filter(({ what, status }) => status >= 500 && !what.startsWith('GET /readyz'))
    assert.deepEqual(failed, [])
    for (const status of [200, 202, 302, 400, 401, 404, 405, 406, 422])
      assert(
        counted.some((one) => one.status === status),
        String(status),
      )
  })
})
