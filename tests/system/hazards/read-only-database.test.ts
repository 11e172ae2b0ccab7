import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { startQueue } from '../../../src/kernel/jobs/queue.ts'
import { createMetrics } from '../../../src/kernel/metrics.ts'
import { SEND_OTP } from '../../../src/record/jobs.ts'
import { writtenOperations } from '../../record/written-operations.ts'
import { within, DEADLINE_MS } from '../../support/deadline.ts'
import { assertUnavailable, openPrivateApp } from '../../support/private-database.ts'

type Line = { msg: string; level: string; cause?: { code?: string } }
const lines: Line[] = []
const formatters = { level: (level: string) => ({ level }) }
const log = pino({ base: null, formatters }, { write: (line: string) => void lines.push(JSON.parse(line)) })

const { t, setReadOnly } = await openPrivateApp()
const node = await t.openNode({ log })
const platform = await t.platform()
const user = await t.onboardedUser(platform)
const { token } = platform

/** They find everything as requested. */
const WITHOUT_A_WRITE = ['POST /v1/auth/token (known user)', 'POST /wallet/v1/wallet (existing)']

const operations = await writtenOperations(t)
/** How many rows each table has. */
const stored = () =>
  t.sql(
    `select relname, (xpath('//n/text()', query_to_xml(format('select count(*) as n from %I', relname), true, true, '')))[1]::text as n
       from pg_class where relnamespace = 'banyan'::regnamespace and relkind = 'r' order by relname`,
  )

describe('a read-only database, as a standby that is not promoted yet', () => {
  it('503 with Retry-After for every operation that writes; nothing is written, and then it is done by the same request', async () => {
    for (const { name, call } of operations) {
      const before = await stored()
      await setReadOnly(true)
      const response = await call()
      if (WITHOUT_A_WRITE.includes(name)) assert.equal(response.status, 200, name)
      else assertUnavailable(response)
      assert.deepEqual(await stored(), before, name)
      await setReadOnly(false)
      const again = await call()
      assert(again.status < 300, `${name}: ${again.text}`)
    }
  })

  it('is no defect in the log', async () => {
    await setReadOnly(true)
    const body = { email: 'new@example.com' }
    assertUnavailable(await node.call('PATCH', `/v1/users/${user.id}`, { token, body }))
    const [line, ...more] = lines.filter(({ level }) => level !== 'info')
    assert.deepEqual([line?.level, line?.msg, line?.cause?.code, more], ['warn', 'request failed', '25006', []])
  })

  it('200 for what needs no write: records, lists and tokens of platforms', async () => {
    const headers = { authorization: `Basic ${platform.basicToken}` }
    for (const response of [
      await t.call('GET', `/v1/users/${user.id}`, { token }),
      await t.call('GET', `/v1/users/${user.id}/insurance_policies`, { token }),
      await t.call('GET', '/v1/events', { token }),
      await t.call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } }),
    ])
      assert.equal(response.status, 200, response.text)
  })

  it('503 from /readyz, which says why: another node may have the primary server; the process is alive', async () => {
    const ready = await t.call('GET', '/readyz')
    assert.equal(ready.status, 503)
    assert(ready.headers['retry-after'])
    assert.deepEqual(ready.body.checks, { database: 'read_only', migrations: 'ok', version: 'ok' })
    assert.equal((await t.call('GET', '/livez')).status, 200)
  })

  it('200 from /readyz by itself once it accepts writes, and who read meanwhile is in the audit', async () => {
    await setReadOnly(false)
    assert.equal((await t.call('GET', '/readyz')).status, 200)
    await t.audit.reads.write()
    const read = `select from audit_entries where user_id = $1 and action = 'read'`
    assert.equal((await t.sql(read, [user.id])).length, 2)
  })
})

describe('jobs, while the database is read-only', () => {
  it('wait, and use up no try; the queue logs no defect and goes on by itself', async () => {
    const done: object[] = []
    const queue = await startQueue({ url: t.appUrl, log, metrics: createMetrics() })
    try {
      await setReadOnly(true)
      await queue.work([{ job: SEND_OTP, run: async (data: object) => void done.push(data) }])
      const failing = () => lines.filter(({ msg }) => msg === 'job queue error').length
      const before = failing()
      await assert.rejects(queue.send([{ job: SEND_OTP.name, data: { challenge_id: 'none' } }]), { code: '25006' })
      await within(DEADLINE_MS, async () => failing() > before + 10)
      await setReadOnly(false)
      await queue.send([{ job: SEND_OTP.name, data: { challenge_id: 'later' } }])
      await within(DEADLINE_MS, async () => done.length > 0)
      const tries = await t.sql('select retry_count from pgboss.job where name = $1', [SEND_OTP.name])
      assert.deepEqual([done, tries], [[{ challenge_id: 'later' }], [{ retry_count: 0 }]])
      assert.deepEqual(
        lines.filter(({ level }) => level === 'error' || level === 'fatal'),
        [],
      )
    } finally {
      await queue.stop()
    }
  })
})
