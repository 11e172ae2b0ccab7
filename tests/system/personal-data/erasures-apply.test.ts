import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { parseTombstones } from '../../../src/domains/privacy/personal-data/index.ts'
import { compiledCode } from '../../../src/kernel/compiled-code.ts'
import { UsageError } from '../../../src/kernel/start-error.ts'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { WAITING } from '../../support/meeting.ts'
import { prepareScenes, rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { person, erase, run } = prepareScenes(t)
const folder = await mkdtemp(join(tmpdir(), 'banyan-erasures-'))
after(() => rm(folder, { recursive: true, force: true }))
const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname

function start(...words: string[]): ChildProcess {
  const env = { ...compiledCode(), PATH: String(process.env['PATH']), DATA_DIR: folder, DATABASE_URL: t.appUrl }
  return spawn(process.execPath, [MAIN, 'erasures', ...words], { env, timeout: 60_000 })
}

/** Runs the command; returns its output and exit code. `input` is its standard input. */
async function banyan(words: string[], input = ''): Promise<{ code: number; out: string; err: string }> {
  const child = start(...words)
  assert(child.stdin && child.stdout && child.stderr)
  child.stdin.end(input)
  const ended = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number]
  return { code, out, err }
}

const tombstoneOf = (userId: string, erased_at = '2026-01-31T09:30:00.000Z') =>
  `${JSON.stringify({ user_id: userId, erased_at })}\n`

describe('banyan erasures', () => {
  it('list prints who was erased, ids and times and nothing else; apply finds them already erased', async () => {
    const at = await person()
    await erase(at)
    await run()
    const listed = await banyan(['list'])
    assert.equal(listed.code, 0, listed.err)
    const lines = listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const own = lines.find(({ user_id }) => user_id === at.user.id)
    assert.deepEqual(Object.keys(own), ['user_id', 'erased_at'])
    const applied = await banyan(['apply'], listed.out)
    assert.deepEqual(
      [applied.code, applied.out],
      [0, `0 erased, ${lines.length} erased before, 0 not in this database\n`],
    )
  })

  it('apply erases users brought back by a restore once more, whatever the restored wallet and policies say', async () => {
    const at = await issueToFamily(t)
    await t.wallet(at.platform, at.user)
    await t.sql('update wallets set balance_paise = 100 where user_id = $1', [at.user.id])
    const file = join(folder, 'tombstones.jsonl')
    await writeFile(file, tombstoneOf(at.user.id) + tombstoneOf('999999999999'))
    const first = await banyan(['apply', file])
    assert.equal(first.code, 0, first.err)
    assert.equal(
      first.out,
      `held money in this database: user:${at.user.id}\n1 erased, 0 erased before, 1 not in this database\n`,
    )
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}`, { token: at.platform.token })).status, 404)
    assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0, 'and all of it is erased when the command ends')
    const [row] = await t.sql<{ at: string }>('select erased_at::text as at from erasures where user_id = $1', [
      at.user.id,
    ])
    assert.match(row?.at ?? '', /^2026-01-31 09:30:00/, 'the tombstone keeps its time')
    const again = await banyan(['apply', file])
    assert.deepEqual([again.code, again.out], [0, '0 erased, 1 erased before, 1 not in this database\n'])
    const events = await t.sql<{ platform_id: string | null }>(
      `select platform_id from events where type = 'user.erased' and subject = $1 order by platform_id`,
      [at.user.id],
    )
    assert.deepEqual(
      events.map(({ platform_id }) => platform_id),
      [at.platform.id, null],
      'one for the platform, one for the benefit provider',
    )
    const audit = await t.sql(`select actor from audit_entries where user_id = $1 and operation = 'eraseUser'`, [
      at.user.id,
    ])
    assert.deepEqual(audit, [{ actor: 'system:command-line' }])
  })

  it('apply continues when run again after it was killed', async () => {
    const [one, other] = [await person(), await person()]
    const input = tombstoneOf(one.user.id) + tombstoneOf(other.user.id)
    const holder = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await holder.connect()
    after(() => holder.end()) // also when the test fails: it holds rows
    await holder.query('begin')
    await holder.query('select 1 from consultations where user_id = $1 for update', [one.user.id])
    const child = start('apply')
    child.stdin?.end(input)
    const waiting = `${WAITING} and query ~* 'delete from \\S*consultations'`
    await within(120_000, async () => (await t.sql(waiting)).length > 0)
    child.kill('SIGKILL')
    await once(child, 'close')
    await holder.query('rollback')
    assert.equal((await t.call('GET', `/v1/users/${one.user.id}`, { token: one.platform.token })).status, 404)
    assert.equal((await t.call('GET', `/v1/users/${other.user.id}`, { token: other.platform.token })).status, 200)
    assert.equal((await rowsByTable(t, one.user.id))['user_providers'], 1, 'what comes after is not erased yet')

    const again = await banyan(['apply'], input)
    assert.deepEqual([again.code, again.out], [0, '1 erased, 1 erased before, 0 not in this database\n'])
    for (const { user } of [one, other]) {
      const { dependants, consultation_messages, user_providers, health_cards } = await rowsByTable(t, user.id)
      assert.deepEqual([dependants, consultation_messages, user_providers, health_cards], [0, 0, 0, 0])
    }
  })

  it('a worker completes what a killed command left unfinished', async () => {
    const at = await person()
    await erase(at) // nobody has erased the rest
    assert.notEqual((await rowsByTable(t, at.user.id))['dependants'], 0)
    await run()
    assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0)
  })

  it('exit code 2 for a malformed list, with the line, and nobody is erased; 1 without the file; help for each', async () => {
    const at = await issueToFamily(t)
    const broken = [
      '{"user_id":"1"}',
      'user',
      `{"user_id":"${at.user.id}","erased_at":"yesterday"}`,
      '{"user_id":7,"erased_at":"2026-01-31T09:30:00.000Z"}',
    ]
    // The command parses a list before it does anything else, and each malformed line ends that with the same error.
    for (const line of broken)
      assert.throws(
        () => parseTombstones(tombstoneOf(at.user.id) + line),
        (error) => error instanceof UsageError && error.message.startsWith('Line 2 is not a tombstone.'),
        line,
      )
    const { code, out, err } = await banyan(['apply'], tombstoneOf(at.user.id) + broken.at(-1))
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^Line 2 is not a tombstone\./)
    assert(!err.includes('    at '), 'no stack')
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}`, { token: at.platform.token })).status, 200)
    assert.equal((await banyan(['apply', join(folder, 'missing')])).code, 1)
    let help = ''
    for (const words of [['--help'], ['list', '--help'], ['apply', '--help']]) {
      const { code, out } = await banyan(words)
      assert.equal(code, 0)
      assert.match(out, /^Usage: banyan erasures/)
      help = out
    }
    assert.match(help, /Exit codes: 0 all are erased, 1 not all, 2 the list is malformed/)
  })
})
