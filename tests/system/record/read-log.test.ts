import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { deleteOldBatches } from '../../../src/record/audit.ts'
import { createReadLog } from '../../../src/record/read-log.ts'
import { dial } from '../../hazards/raw.ts'
import { openTestApp } from '../../support/app.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { errorsOf } from '../../support/problems.ts'
import { pdfOfLength } from '../../support/small-pdf.ts'
import { uploadScenes } from '../../support/uploads.ts'

const MIB = 1024 * 1024

type Entry = {
  actor: string
  operation: string
  action: string
  subject: string
  user_id: string
  purpose: string | null
}

const t = await openTestApp({ own: true })
const [platform, other] = [await t.platform(), await t.platform()]
const [asha, ravi] = [await t.onboardedUser(platform), await t.onboardedUser(platform)]
const stranger = await t.onboardedUser(other)

/** The entries of the calls, once they are written. */
async function entriesOf(call: () => Promise<unknown>): Promise<Entry[]> {
  await t.audit.reads.write()
  const known = (await t.sql('select from audit_entries')).length
  await call()
  await t.audit.reads.write()
  return t.sql<Entry>(
    'select actor, operation, action, subject, user_id, purpose from audit_entries order by xid, audit_id offset $1',
    [known],
  )
}

const read = (token: string, url: string, headers: Record<string, string> = {}) =>
  t.call('GET', url, { token, headers })

describe('a read of personal data', () => {
  it('is logged with its purpose', async () => {
    const url = `/v1/users/${asha.id}`
    const purpose = 'Ticket 4711'
    assert.deepEqual(await entriesOf(() => read(t.viewer, url, { purpose })), [
      {
        actor: 'viewer:test-viewer',
        operation: 'readUser',
        action: 'read',
        subject: asha.id,
        user_id: asha.id,
        purpose,
      },
    ])
  })

  it('by list or search leaves an entry for each person shown, and for no other', async () => {
    const shown = (entries: Entry[]) => entries.map(({ user_id }) => user_id).toSorted()
    const listed = await entriesOf(() => read(platform.token, '/v1/users'))
    assert.deepEqual(shown(listed), [asha.id, ravi.id].toSorted())
    const body = { phone_country_code: '+91', phone_number: ravi.phone }
    const found = await entriesOf(() => t.call('POST', '/v1/users/search', { token: platform.token, body }))
    assert.deepEqual(shown(found), [ravi.id])
    const nobody = { ...body, phone_number: stranger.phone }
    const missed = await entriesOf(() => t.call('POST', '/v1/users/search', { token: platform.token, body: nobody }))
    assert.deepEqual(missed, [])
  })

  it('is logged for everything about a person, sealed or not, when somebody else reads it', async () => {
    await t.call('POST', `/v1/users/${asha.id}/accounts`, { token: asha.token, body: { account_type: 'CURRENT' } })
    const { data } = (await read(asha.token, `/v1/users/${asha.id}/accounts`)).body
    await t.walletToken(platform, asha)
    const paths = {
      listAccounts: '/accounts',
      readAccount: `/accounts/${data[0].id}`,
      readAccountStatus: `/accounts/${data[0].id}/status`,
      listConsultations: '/consultations',
      listAccessLog: '/access_log',
    }
    for (const [operation, path] of Object.entries(paths)) {
      const url = `/v1/users/${asha.id}${path}`
      const entries = await entriesOf(async () => {
        assert.equal((await read(t.owner, url)).status, 200, url)
        assert.equal((await t.call('HEAD', url, { token: platform.token })).status, 200, url)
        assert.equal((await read(asha.token, url)).status, 200, url)
      })
      assert.deepEqual(
        entries.map((entry) => [entry.actor, entry.operation, entry.action, entry.user_id]),
        ['owner:test-owner', `platform:${platform.id}`].map((actor) => [actor, operation, 'read', asha.id]),
        'and not for the person',
      )
    }
  })

  it('is in the person’s access log, the reading of that log included', async () => {
    await read(t.viewer, `/v1/users/${ravi.id}/accounts`)
    await read(platform.token, `/v1/users/${ravi.id}/access_log`)
    await t.audit.reads.write()
    const { data } = (await read(ravi.token, `/v1/users/${ravi.id}/access_log`)).body
    const operations = data.map(({ operation }: { operation: string }) => operation)
    assert.deepEqual(operations.slice(0, 2), ['List accesses to a user’s data', 'List the accounts of a user'])
  })

  it('is not logged where nothing was shown: rejected, another owner’s, or not personal', async () => {
    const entries = await entriesOf(async () => {
      assert.equal((await read(other.token, `/v1/users/${asha.id}`)).status, 404)
      assert.equal((await read(platform.token, `/v1/users/${asha.id}?nonsense=1`)).status, 422)
      assert.equal((await read(platform.token, `/v1/users/${asha.id}/accounts?nonsense=1`)).status, 422)
      assert.equal((await read(platform.token, '/v1/benefits')).status, 200)
    })
    assert.deepEqual(entries, [])
  })

  it('by a change that returns the record is one entry, and an empty change counts as a read', async () => {
    const body = { email: 'seen@example.com' }
    const change = () => t.call('PATCH', `/v1/users/${asha.id}`, { token: platform.token, body })
    const actions = async () => (await entriesOf(change)).map(({ action }) => action)
    assert.deepEqual(await actions(), ['change'])
    assert.deepEqual(await actions(), ['read'])
  })
})

describe('a response that is not received whole', () => {
  it('is a read as soon as a part of it was sent, and none before', async () => {
    const at = await issueToFamily(t)
    const { put } = uploadScenes(t)
    assert.equal((await put(at, 'policy_certificate', pdfOfLength(10 * MIB))).status, 200)
    await t.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = t.app.server.address() as AddressInfo
    const headers = `host: x\r\nauthorization: Bearer ${at.user.token}\r\nx-request-id`
    const reads = () => t.audit.reads.pending()

    const entries = await entriesOf(async () => {
      const unheard = await dial(port)
      const body = 'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{'
      unheard.write(`PATCH /v1/users/${at.user.id} HTTP/1.1\r\n${headers}: unheard_1\r\n${body}`)
      await once(t.app.server, 'request')
      unheard.destroy()

      const socket = await dial(port)
      socket.write(`GET ${at.documents}/policy_certificate HTTP/1.1\r\n${headers}: broken_off\r\n\r\n`)
      let received = 0
      for await (const chunk of socket) {
        received += (chunk as Buffer).length
        if (received > 6 * MIB) break // closes the connection
      }
      assert(received < 9 * MIB)
      await within(DEADLINE_MS, async () => reads() > 0)
    })
    assert.deepEqual(
      entries.map(({ operation, action, user_id }) => [operation, action, user_id]),
      [['downloadDocument', 'read', at.user.id]],
    )
  })
})

describe('while the audit cannot be written', () => {
  /** A read log on a database that can be made to fail. */
  function failingLog(settings?: { pendingMax: number }) {
    const state = { isAway: true }
    const reads = createReadLog(
      {
        query: (statement, values) =>
          state.isAway ? Promise.reject(new Error('away')) : t.db.query(statement, values),
      },
      settings,
    )
    return { state, reads }
  }

  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      audit_id: `aud_waits_${String(index).padStart(6, '0')}`,
      at: new Date(),
      actor: 'viewer:x',
      operation: 'readUser',
      action: 'read' as const,
      subject: null,
      user_id: null,
      request_id: 'req_x',
      purpose: null,
      credential_id: null,
    }))

  it('entries are queued and written afterwards, once, however many there are', async () => {
    const { state, reads } = failingLog()
    const noted = rows(12_000)
    for (let first = 0; first < noted.length; first += 100) reads.note(noted.slice(first, first + 100))
    await assert.rejects(reads.write())
    await assert.rejects(reads.write())
    assert.equal(reads.pending(), 12_000)
    state.isAway = false
    await reads.write()
    await reads.write()
    assert.equal(reads.pending(), 0)
    const written = await t.sql(`select audit_id from audit_entries where audit_id like 'aud_waits_%' order by 1`)
    assert.deepEqual(
      written.map(({ audit_id }) => audit_id),
      noted.map(({ audit_id }) => audit_id),
    )
  })

  it('entries are written once although the response to the write was lost, whatever is read meanwhile', async () => {
    let isLosing = true
    const way = await startDatabaseProxy(t.appUrl, {
      onRequest: (bytes) => void (isSent ||= bytes.includes('json_to_recordset')),
      // The database has committed when it responds.
      onResponse: () => void (isSent && isLosing && way.cut()),
    })
    let isSent = false
    const db = connectDatabase({ url: way.url, poolSize: 1, batching: true, onLostConnection: () => {} })
    after(() => db.close())
    const reads = createReadLog(db)
    const [first, second, later] = rows(3).map((row) => ({ ...row, audit_id: row.audit_id.replace('waits', 'sent') }))
    assert(first && second && later)
    reads.note([first, second])
    await assert.rejects(reads.write(), { code: 'unavailable' })
    reads.note([later])
    assert.equal(reads.pending(), 3, 'nobody knows yet that two are written')
    isLosing = false
    way.remedy()
    await within(DEADLINE_MS, async () => {
      await reads.write().catch(() => {})
      return reads.pending() === 0
    })
    const written = await t.sql<{ audit_id: string }>(
      `select audit_id from audit_entries where audit_id like 'aud_sent_%' order by 1`,
    )
    assert.deepEqual(
      written.map(({ audit_id }) => audit_id),
      [first, second, later].map(({ audit_id }) => audit_id),
    )
  })

  it('entries are written once by two attempts at the same time, of which one was believed lost', async () => {
    const noted = rows(500).map((row) => ({ ...row, audit_id: row.audit_id.replace('waits', 'twice') }))
    const logs = Array.from({ length: 4 }, () => createReadLog(t.db))
    for (const reads of logs) reads.note(noted)
    await Promise.all(logs.map((reads) => reads.write()))
    const written = await t.sql(`select 1 from audit_entries where audit_id like 'aud_twice_%'`)
    assert.equal(written.length, noted.length)
  })

  it('the ids of batches that are written are deleted after a day, when nobody sends them again', async () => {
    await t.sql(
      `insert into audit_writes (batch_id, written_at)
       values ('aud_old', now() - interval '25 hours'), ('aud_young', now() - interval '23 hours')`,
    )
    await deleteOldBatches(t.db)
    const left = await t.sql(`select batch_id from audit_writes where batch_id in ('aud_old', 'aud_young')`)
    assert.deepEqual(left, [{ batch_id: 'aud_young' }])
  })

  it('503 for reads beyond a limit, until it is written again: nothing is shown that it will not know', async () => {
    const { state, reads } = failingLog({ pendingMax: 3 })
    const { call } = await t.openNode({ reads })
    const url = `/v1/users/${asha.id}`
    const { token } = platform
    const shown = [await call('GET', url, { token }), await call('GET', '/v1/users', { token })]
    assert.deepEqual(
      shown.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(reads.pending(), 3, 'one person, then both')

    const body = { email: 'refused@example.com' }
    const phone = { phone_country_code: '+91', phone_number: asha.phone }
    const refused = async () => {
      const responses = [
        await call('GET', url, { token }),
        await call('GET', '/v1/users', { token: t.owner }),
        await call('POST', '/v1/users/search', { token, body: phone }),
        await call('PATCH', url, { token, body }),
      ]
      for (const { status, body, headers } of responses) {
        assert.deepEqual([status, body.code], [503, 'unavailable'])
        assert(Number(headers['retry-after']) > 0)
      }
    }
    await refused()
    await assert.rejects(reads.write())
    await refused()
    assert.equal(reads.pending(), 3)
    assert.equal((await call('GET', url)).status, 401, 'a stranger learns nothing of it')
    assert.equal((await call('GET', '/v1/benefits', { token })).status, 200, 'nothing personal in it')
    assert.equal((await call('GET', `${url}/accounts`, { token: asha.token })).status, 200, 'nor is their own')
    assert.equal((await call('GET', `${url}/accounts`, { token })).status, 503)

    state.isAway = false
    const entries = await entriesOf(() => reads.write())
    assert.deepEqual(
      entries.map(({ action, operation, user_id }) => `${action} ${operation} ${user_id}`).toSorted(),
      [`read listUsers ${asha.id}`, `read listUsers ${ravi.id}`, `read readUser ${asha.id}`].toSorted(),
    )
    const { status, body: found } = await call('GET', url, { token })
    assert.equal(status, 200)
    assert.notEqual(found.email, body.email)
    assert.equal(reads.pending(), 1)
  })
})

describe('the purpose', () => {
  it('is null in the audit when the header is empty', async () => {
    const [entry] = await entriesOf(() => read(t.viewer, `/v1/users/${asha.id}`, { purpose: '' }))
    assert.equal(entry?.purpose, null)
  })

  it('422 for a malformed one', async () => {
    for (const purpose of ['x'.repeat(201), 'für Asha', 'a\tb']) {
      const response = await read(t.viewer, `/v1/users/${asha.id}`, { purpose })
      assert.equal(response.status, 422)
      assert.deepEqual(errorsOf(response), ['header:purpose format'])
    }
    assert.equal((await read(t.viewer, `/v1/users/${asha.id}`, { purpose: 'x'.repeat(200) })).status, 200)
  })

  it('is required of administrators where the installation says so, and of nobody else', async () => {
    const strict = await t.openNode({ requirePurpose: true })
    const url = `/v1/users/${asha.id}`
    const entries = await entriesOf(async () => {
      for (const token of [t.viewer, t.operator, t.owner]) {
        const response = await strict.call('GET', url, { token })
        assert.equal(response.status, 422)
        assert.deepEqual(errorsOf(response), ['header:purpose required'])
      }
      const change = await strict.call('PATCH', url, { token: t.operator, body: { email: 'unseen@example.com' } })
      assert.equal(change.status, 422)
    })
    assert.deepEqual(entries, [], 'nothing was shown and nothing changed')

    assert.equal((await strict.call('GET', url, { token: t.viewer, headers: { purpose: 'Ticket 1' } })).status, 200)
    assert.equal((await strict.call('GET', url, { token: platform.token })).status, 200)
    assert.equal((await strict.call('GET', url, { token: asha.token })).status, 200)
    assert.equal((await strict.call('GET', '/v1/platforms', { token: t.viewer })).status, 200)
    const foreign = await strict.call('GET', '/v1/users/999999999999', { token: t.viewer })
    assert.equal(foreign.status, 404, 'what is missing is said first')
  })
})
