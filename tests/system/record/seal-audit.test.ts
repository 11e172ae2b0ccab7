import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { createAuditHeads } from '../../../src/access/audit-heads.ts'
import { listBatches } from '../../../src/record/audit-archives-store.ts'
import { BEGINNING, entryIn, findNewest, readLines, sealAudit, verifyAudit } from '../../../src/record/seal-audit.ts'
import { openTestApp } from '../../support/app.ts'
import { testKeys } from '../../support/keys.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })
const auditHeads = createAuditHeads({ keys: t.keys.signingKeys })
const platform = await t.platform()

/** Three batches of several entries each. */
beforeEach(async () => {
  await t.sql('truncate audit_entries, audit_batches')
  for (let batch = 0; batch < 3; batch++) {
    for (let entry = 0; entry < 3; entry++) await t.user(platform)
    await seal()
  }
})

async function seal(): Promise<void> {
  await settled(t)
  await sealAudit({ db: t.db, auditHeads })
}

const newest = async () => {
  const batch = await findNewest(t.db)
  assert(batch)
  return batch
}
const verify = (head?: { number: number; hash: string }, onProgress = (_batches: number, _all: number): void => {}) =>
  verifyAudit({ db: t.db, auditHeads }, { head, onProgress })
const SECOND = `(select audit_id from audit_entries order by xid, audit_id offset 4 limit 1)`
const COLUMNS = 'xid, at, actor, operation, action, subject, user_id, request_id, purpose'

/** The batches in which each entry, as it is hashed, names the credential of the platform. */
async function credentialsSealed(): Promise<number[]> {
  const { batches } = await listBatches(t.db, 1, 100)
  const numbers: number[] = []
  let previous = BEGINNING
  for (const batch of batches) {
    const lines = await readLines(t.db, previous, batch)
    if (lines.every((line) => entryIn(line).credential_id === platform.credentialId)) numbers.push(batch.number)
    previous = batch
  }
  return numbers
}

describe('the sealed audit', () => {
  it('is valid while untouched, and when more is sealed', async () => {
    const { number, hash } = await newest()
    const progress: number[][] = []
    const report = await verify({ number, hash }, (...counts) => void progress.push(counts))
    assert.deepEqual(report, { batches: 3, entries: 9, head: { number, hash }, wrong: [] })
    assert.deepEqual(progress, [
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    await t.user(platform)
    assert.deepEqual((await verify({ number, hash })).wrong, [], 'what is not sealed yet is not looked at')
    await seal()
    const later = await verify({ number, hash })
    assert.equal(later.batches, 4)
    assert.deepEqual(later.wrong, [], 'the chain leads through a head of before')
  })

  it('is sealed once by two concurrent workers, and nothing is sealed when nothing happened', async () => {
    await t.user(platform)
    await settled(t)
    await Promise.all([sealAudit({ db: t.db, auditHeads }), sealAudit({ db: t.db, auditHeads })])
    await seal()
    const report = await verify()
    assert.deepEqual([report.batches, report.entries, report.wrong], [4, 10, []])
  })

  const tamperings: Record<string, string> = {
    'an entry that was changed': `update audit_entries set actor = 'viewer:nobody' where audit_id = ${SECOND}`,
    'a credential that was changed': `update audit_entries set credential_id = 'crd_other' where audit_id = ${SECOND}`,
    'a credential that was taken away': `update audit_entries set credential_id = null where audit_id = ${SECOND}`,
    'a batch that says it covers no credentials': 'update audit_batches set version = null where number = 2',
    'a purpose that was changed': `update audit_entries set purpose = 'Ticket 1' where audit_id = ${SECOND}`,
    'an entry that was deleted': `delete from audit_entries where audit_id = ${SECOND}`,
    'an entry that was put in': `insert into audit_entries (audit_id, ${COLUMNS}) select audit_id || 'x', ${COLUMNS} from audit_entries where audit_id = ${SECOND}`,
    'two entries that changed places': `update audit_entries e set at = o.at, user_id = o.user_id, subject = o.subject, request_id = o.request_id
       from audit_entries o
      where e.audit_id <> o.audit_id and e.audit_id in (select audit_id from audit_entries order by xid, audit_id limit 2)
        and o.audit_id in (select audit_id from audit_entries order by xid, audit_id limit 2)`,
    'a batch that was taken out': `with b as (delete from audit_batches where number = 2 returning last_xid)
       delete from audit_entries where xid <= (select last_xid from b)
          and xid > (select last_xid from audit_batches where number = 1)`,
    'a count that was lowered with its entry': `with d as (delete from audit_entries where audit_id = ${SECOND})
       update audit_batches set entry_count = entry_count - 1 where number = 2`,
  }
  for (const [name, text] of Object.entries(tamperings)) {
    it(`reveals ${name}`, async () => {
      await t.sql(text)
      assert((await verify()).wrong.length > 0)
    })
  }

  it('covers credentials once no older program runs, and no batch of before is another then', async () => {
    await t.sql(`insert into processes (process_id, role, version) values ('prc_older', 'worker', '0.2.0')`)
    try {
      await t.user(platform)
      await seal()
      assert.equal((await newest()).version, undefined)
    } finally {
      await t.sql(`delete from processes where process_id = 'prc_older'`)
    }
    await t.user(platform)
    await seal()
    assert.equal((await newest()).version, 2)
    assert.deepEqual((await verify()).wrong, [])
    assert.deepEqual(await credentialsSealed(), [1, 2, 3, 5])
  })

  it('reveals a truncated end to anyone who kept a head', async () => {
    const { number, hash } = await newest()
    await t.sql(`with b as (delete from audit_batches where number = 3)
      delete from audit_entries where xid > (select last_xid from audit_batches where number = 2)`)
    assert.deepEqual((await verify()).wrong, [], 'what is left is whole by itself')
    assert.deepEqual((await verify({ number, hash })).wrong, ['batch 3: missing; the end of the audit was truncated'])
  })

  it('reveals a log forged and sealed again without the signing key', async () => {
    const { number, hash } = await newest()
    await t.sql(`update audit_entries set actor = 'viewer:nobody' where audit_id = ${SECOND}`)
    await t.sql('truncate audit_batches')
    await sealAudit({ db: t.db, auditHeads: createAuditHeads({ keys: testKeys().signingKeys }) })
    assert((await verify()).wrong.length > 0, 'by its signature')
    const stolen = `update audit_batches set signature = $1`
    await t.sql(stolen, [auditHeads.sign({ number, hash })])
    assert((await verify()).wrong.length > 0, 'the signature of another head is of no use')
  })

  it('waits for a transaction in progress, and then has its entry', async () => {
    const late = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await late.connect()
    try {
      await late.query('begin')
      await late.query(
        `insert into audit_entries (audit_id, ${COLUMNS.replace('xid, ', '')})
         select 'aud_late', ${COLUMNS.replace('xid, ', '')} from audit_entries limit 1`,
      )
      await t.user(platform)
      await sealAudit({ db: t.db, auditHeads })
      assert.equal((await newest()).number, 3, 'what began later waits too')
      await late.query('commit')
    } finally {
      await late.end()
    }
    await seal()
    const { entries, wrong } = await verify()
    assert.deepEqual([entries, wrong], [11, []])
  })

  it('is append-only for the program', async () => {
    const as = (text: string) => t.db.query({ name: text.slice(0, 20), text })
    await assert.rejects(as('update audit_entries set actor = actor'), /permission denied/)
    await assert.rejects(as('delete from audit_entries'), /permission denied/)
    await assert.rejects(as('delete from audit_batches'), /permission denied/)
    await assert.rejects(as('update audit_batches set hash = hash'), /permission denied/)
  })
})
