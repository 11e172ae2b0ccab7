import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { checkMigrated } from '../../../src/boot/database.ts'
import { refuseEarlySettings } from '../../../src/boot/early-settings.ts'
import { createVersionGuard } from '../../../src/kernel/db/version-guard.ts'
import { BUILD, isOlderVersion, newestVersion, RELEASE, VERSION } from '../../../src/kernel/program-version.ts'
import type { ErasureSettings } from '../../../src/settings/read-erasure.ts'
import { openTestApp } from '../../support/app.ts'
import { ERASURE } from '../../support/installation.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

const t = await openTestApp({ own: true })

const LATER = '9.0.0'
const allow = (oldest: string) => t.sql('update program_versions set oldest = $1', [oldest])
const running = () => t.sql('select role, version, build from processes')
afterEach(() => allow('0.1.0'))

const guardOf = (role: string) =>
  createVersionGuard(t.deps.db, { role, signingKeys: ['one'], log: t.log, every_ms: 20 })

/** Resolves when the guard of a worker has stopped its work. */
async function workerStopped() {
  const guard = await guardOf('worker')
  let stops = 0
  const stopped = new Promise<void>((resolve) => guard.onOutdated(async () => resolve(void stops++)))
  return { guard, stopped, stops: () => stops }
}

describe('a program on a database that is for later versions', () => {
  it('503 from /readyz, which says that its version is outdated, at once', async () => {
    assert.equal((await t.call('GET', '/readyz')).body.checks.version, 'ok')
    await allow(RELEASE)
    assert.equal((await t.call('GET', '/readyz')).body.checks.version, 'ok')
    await allow(LATER)
    const { status, body } = await t.call('GET', '/readyz')
    assert.deepEqual([status, body.status, body.checks.version], [503, 'unavailable', 'outdated'])
  })

  it('ends its jobs once, and no longer counts as running', async () => {
    const { guard, stopped, stops } = await workerStopped()
    assert.deepEqual(await running(), [{ role: 'worker', version: RELEASE, build: BUILD }])
    assert.equal(guard.isOutdated(), false)
    await allow(LATER)
    await stopped
    assert.equal(guard.isOutdated(), true)
    await allow('0.1.0')
    await guard.stop()
    assert.deepEqual([stops(), await running()], [1, []])
  })

  it('503 with Retry-After for every request, and nothing is written', async () => {
    const guard = await guardOf('api')
    const { call } = await t.openNode({ isOutdated: guard.isOutdated })
    const post = () => call('POST', '/v1/platforms', { token: t.owner, body: { name: 'Made too late' } })
    const made = () => t.sql(`select 1 from platforms where name = 'Made too late'`)
    assert.equal((await post()).status, 201)
    await allow(LATER)
    while (!guard.isOutdated()) await setImmediate()
    const { status, body, headers } = await post()
    await guard.stop()
    assert.deepEqual([status, body.code], [503, 'unavailable'])
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.equal((await call('GET', '/livez')).status, 200)
    assert.equal((await made()).length, 1)
  })

  it('does not start, nor does a command', async () => {
    await allow(LATER)
    await assert.rejects(checkMigrated(t.deps.db), ({ name, message }: Error) => {
      assert.equal(
        message,
        `This program is ${VERSION}, and the database has been upgraded for 9.0.0 and later. Run a later version.`,
      )
      return name === 'StartError'
    })
  })
})

describe('a program that runs', () => {
  it('is reported by the clock of the database until it stops, and those that were killed are forgotten', async () => {
    await t.sql(`insert into processes (process_id, role, version, seen_at)
                 values ('prc_killed', 'api', '0.1.0', now() - interval '2 hours')`)
    const guard = await guardOf('api+worker')
    assert.deepEqual(await running(), [{ role: 'api+worker', version: RELEASE, build: BUILD }])
    const seen = async () => (await t.sql<{ at: Date }>('select seen_at as at from processes'))[0]?.at.getTime() ?? 0
    const first = await seen()
    while ((await seen()) === first);
    await guard.stop()
    assert.deepEqual(await running(), [])
  })
})

describe('settings whose effects an earlier version cannot read', () => {
  const start = (config: { sealing?: 'xchacha20-poly1305'; auditArchiveDays?: number; erasure?: ErasureSettings }) =>
    refuseEarlySettings(t.deps.db, { sealing: 'aes-256-gcm', auditArchiveDays: null, erasure: ERASURE, ...config })
  const runs = (version: string, seenAt = 'now()') =>
    t.sql(
      `insert into processes (process_id, role, version, seen_at) values ('prc_other', 'api', '${version}', ${seenAt})`,
    )
  afterEach(() => t.sql(`delete from processes where process_id = 'prc_other'`))

  it('stop the start while a program of that version runs, which is named', async () => {
    await runs('0.2.0')
    await assert.rejects(start({ sealing: 'xchacha20-poly1305', auditArchiveDays: 30 }), {
      name: 'StartError',
      message:
        'Programs run that cannot read what SEALING and AUDIT_ARCHIVE_DAYS would have this one write: 1 api 0.2.0. ' +
        'Unset them until they are replaced.',
    })
    await assert.rejects(start({ auditArchiveDays: 0 }), /AUDIT_ARCHIVE_DAYS would .* Unset it/)
    await assert.rejects(start({ erasure: { ...ERASURE, holdDays: 1 } }), /ERASURE_HOLD_DAYS would .* Unset it/)
    await start({})
  })

  it('hold once none runs, or only this version', async () => {
    await runs('0.2.0', `now() - interval '31 seconds'`)
    await start({ sealing: 'xchacha20-poly1305' })
    await t.sql(`delete from processes where process_id = 'prc_other'`)
    await runs(RELEASE)
    await start({ sealing: 'xchacha20-poly1305' })
  })
})

describe('versions', () => {
  for (const [version, than, expected] of [
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.10.9', false],
    ['1.2.3', '1.2.3', false],
    ['1.2.4', '1.2.3', false],
  ] as const) {
    it(`${version} is ${expected ? '' : 'not '}older than ${than}`, () =>
      assert.equal(isOlderVersion(version, than), expected))
  }

  it('the newest of several is found by number', () => {
    assert.equal(newestVersion(['0.9.0', '0.10.0', '0.2.11']), '0.10.0')
  })
})

describe('the heartbeat of a program', () => {
  it('is a write: its age grows while the database takes none, and falls when it does again', async () => {
    const guard = await guardOf('api')
    await t.sql('alter table processes rename to away')
    await within(DEADLINE_MS, async () => guard.unwritten_s() > 1)
    await t.sql('alter table away rename to processes')
    await within(DEADLINE_MS, async () => guard.unwritten_s() < 1)
    await guard.stop()
  })
})
