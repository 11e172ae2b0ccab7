import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { it } from 'node:test'
import { createAuditHeads } from '../../../src/access/audit-heads.ts'
import type { SigningKeys } from '../../../src/settings/keys.ts'
import { findNewest, sealAudit, verifyAudit } from '../../../src/record/seal-audit.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })

const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 6)])
const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
const keys: SigningKeys = [{ kid: 'k1', privateKey, publicKey: createPublicKey(privateKey) }]
const context = { db: t.db, auditHeads: createAuditHeads({ keys }) }

const insert = (values: string) =>
  t.sql(`insert into audit_entries (xid, audit_id, at, actor, operation, action, subject, user_id, request_id, purpose)
         values ${values}`)

/* These literals are never changed: an installation's auditors keep heads like them elsewhere, for years. */
const FIRST = {
  number: 1,
  hash: '89be0f26904549147950bf184713fb66beea5cf3eaa2fdb10e7e5ff1c3330233',
  signature:
    'eyJhbGciOiJFZERTQSIsInR5cCI6ImF1ZGl0LWhlYWQrand0Iiwia2lkIjoiazEifQ.' +
    'eyJudW1iZXIiOjEsImhhc2giOiI4OWJlMGYyNjkwNDU0OTE0Nzk1MGJmMTg0NzEzZmI2NmJlZWE1Y2YzZWFhMmZkYj' +
    'EwZTdlNWZmMWMzMzMwMjMzIn0.' +
    '3nuLzttW_QBOjftlEvu1os8mDRVaoUxrpbPhM9z2wqlRrbZ3v1j5eFzVu4A5vUUUybDBbh13gz2iMZQ_bhOrBw',
}
const SECOND = {
  number: 2,
  hash: '3640c4634b599806bb2daf03571f32225211025e3d4f39149bc3dd3a1eb82d76',
  signature:
    'eyJhbGciOiJFZERTQSIsInR5cCI6ImF1ZGl0LWhlYWQrand0Iiwia2lkIjoiazEifQ.' +
    'eyJudW1iZXIiOjIsImhhc2giOiIzNjQwYzQ2MzRiNTk5ODA2YmIyZGFmMDM1NzFmMzIyMjUyMTEwMjVlM2Q0ZjM5MT' +
    'Q5YmMzZGQzYTFlYjgyZDc2In0.' +
    'Hp-mWAUfjedASc1pETVf_9u3k6gB7arvQWvYeXAqFnAr-YoV8spw6jFSliKRoKp2Nqjy_XB2olVGRPw9CMO1Cg',
}

it('seals these entries with the hashes and signatures of earlier versions, whatever has changed since', async () => {
  await t.sql('truncate audit_entries, audit_batches')
  await insert(`('731', 'aud_1', '2026-04-01 09:30:00.123456+00', 'platform:plt_1', 'updateUser', 'change',
                 '012345678901', '012345678901', 'req_1', 'Ticket "7", ज़रूरी'),
                ('732', 'aud_2', '2026-04-01 15:00:01+05:30', 'system:erase', 'eraseUser', 'change',
                 '012345678901', null, 'req_2', null)`)
  await sealAudit(context)
  const first = await findNewest(t.db)
  await insert(
    `('733', 'aud_3', '2026-04-01 09:30:02+00', 'owner:adm_1', 'listUsers', 'read', 'users', null, 'req_3', null)`,
  )
  await sealAudit(context)
  const second = await findNewest(t.db)
  const literal = (batch: typeof second) =>
    batch && { number: batch.number, hash: batch.hash, signature: batch.signature }
  assert.deepEqual([literal(first), literal(second)], [FIRST, SECOND])
  const { entries, wrong } = await verifyAudit(context, { head: FIRST })
  assert.deepEqual({ entries, wrong }, { entries: 3, wrong: [] })
})
