import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cardOfMember } from '../../../../src/domains/cover/documents/card-of-member.ts'
import { createCardChecks } from '../../../../src/domains/cover/documents/index.ts'
import type { UserId } from '../../../../src/access/user-id.ts'
import { createAuditHeads } from '../../../../src/access/audit-heads.ts'
import { sealAudit, verifyAudit } from '../../../../src/record/seal-audit.ts'
import { openTestApp } from '../../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../../support/issued-policies.ts'
import { prepareScenes } from '../../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { erase, run } = prepareScenes(t)

const codeOf = (at: PolicyScene, memberId = 'self') =>
  `/C/${t.deps.cards.issue(cardOfMember(t.deps.vault, { userId: at.user.id as UserId, policyId: at.id, memberId }).id)}`

const check = (url: string, remoteAddress = '203.0.113.7') =>
  t.app.inject({ method: 'GET', url, headers: { accept: 'application/json' }, remoteAddress })

/** What the person reads of checks, newest first. */
async function checksIn(at: PolicyScene) {
  await t.cardChecks.write()
  const { data } = await t.made('GET', `/v1/users/${at.user.id}/access_log?limit=100`, { token: at.user.token })
  type Entry = { actor: { kind: string; name: string }; operation: string; purpose: unknown }
  return (data as Entry[]).filter(({ actor }) => actor.kind === 'holder_of_card')
}

async function withClock<T>(moment: string, work: () => Promise<T>): Promise<T> {
  t.clock.at = new Date(moment)
  try {
    return await work()
  } finally {
    t.clock.at = undefined
  }
}

describe('the check of a health card', () => {
  it('is in the access log of the person, with the network and never the address', async () => {
    const at = await issueToFamily(t)
    assert.equal((await check(codeOf(at))).json().result, 'valid')
    const [entry, ...more] = await checksIn(at)
    assert.deepEqual(more, [])
    assert.deepEqual(entry?.actor, { kind: 'holder_of_card', name: '203.0.113.0/24' })
    assert.equal(entry?.operation, 'Check a health card')
    const stored = JSON.stringify([
      await t.sql('select * from card_checks where user_id = $1', [at.user.id]),
      await t.sql('select * from audit_entries where user_id = $1', [at.user.id]),
    ])
    assert(!stored.includes('203.0.113.7'), stored)
    const { body } = await t.call('GET', `/v1/users/${at.user.id}/export`, { token: at.user.token })
    const exported = body.access_log.filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'holder_of_card')
    assert.deepEqual(
      exported.map(({ actor }: { actor: { name: string } }) => actor.name),
      ['203.0.113.0/24'],
    )
  })

  it('is one entry for each card, day in India and network, however often it is repeated', async () => {
    const at = await issueToFamily(t)
    const [own, child] = [codeOf(at), codeOf(at, at.dependants[0])]
    await withClock('2026-06-01T18:29:59Z', async () => {
      for (const address of ['203.0.113.7', '203.0.113.8', '198.51.100.1', '2001:db8:1::5', '203.0.113.7']) {
        await check(own, address)
        await t.cardChecks.write()
      }
      await check(child)
      await t.cardChecks.write()
    })
    await withClock('2026-06-01T18:30:00Z', async () => {
      await check(own)
      await check(own.toLowerCase(), '203.0.113.9')
      await t.cardChecks.write()
    })
    const rows = await t.sql(
      `select member_id = 'self' as is_self, day::text, network from card_checks where user_id = $1 order by day, network, 1`,
      [at.user.id],
    )
    assert.deepEqual(
      rows.map((row) => Object.values(row as object)),
      [
        [true, '2026-06-01', '198.51.100.0/24'],
        [true, '2026-06-01', '2001:db8:1::/48'],
        [false, '2026-06-01', '203.0.113.0/24'],
        [true, '2026-06-01', '203.0.113.0/24'],
        [true, '2026-06-02', '203.0.113.0/24'],
      ],
    )
    assert.equal((await checksIn(at)).length, rows.length)
  })

  it('leaves nothing for a forged code, one that nobody has, and one of an erased person', async () => {
    const at = await issueToFamily(t)
    const code = codeOf(at)
    await erase(at)
    await run()
    const before = await t.sql<{ n: number }>('select count(*)::int as n from audit_entries')
    for (const url of [
      code,
      code.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      `/C/${t.deps.cards.issue('A'.repeat(22))}`,
    ])
      assert.equal((await check(url)).json().result, 'not_valid')
    await t.cardChecks.write()
    assert.deepEqual(await t.sql('select count(*)::int as n from audit_entries'), before)
    assert.deepEqual(await t.sql('select 1 from card_checks where user_id = $1', [at.user.id]), [])
  })

  it('waits for no write: two statements, both reads', async () => {
    const at = await issueToFamily(t)
    const sent: string[] = []
    const node = await t.openNode({
      watched: (db) =>
        ({
          ...db,
          query: (...call: Parameters<typeof db.query>) => {
            sent.push(typeof call[0] === 'string' ? call[0] : call[0].name)
            return db.query(...call)
          },
        }) as typeof db,
    })
    const response = await node.app.inject({ url: codeOf(at), headers: { accept: 'application/json' } })
    assert.equal(response.json().result, 'valid')
    assert(sent.length <= 2 && sent.every((name) => /_find/.test(name)), sent.join())
  })

  it('of more than twenty networks a day are one entry, for all others', async () => {
    const at = await issueToFamily(t)
    const code = codeOf(at)
    for (let network = 1; network <= 23; network++) {
      await check(code, `198.18.${network}.1`)
      await t.cardChecks.write()
    }
    await check(code, '198.18.3.1')
    const names = (await checksIn(at)).map(({ actor }) => actor.name)
    assert.equal(names.length, 21)
    assert.equal(names[0], 'others')
    assert.equal(new Set(names).size, 21)
  })

  it('is erased with the person: the entry stays, from where does not', async () => {
    const at = await issueToFamily(t)
    await check(codeOf(at))
    await t.cardChecks.write()
    await erase(at)
    await run()
    assert.deepEqual(await t.sql('select 1 from card_checks where user_id = $1', [at.user.id]), [])
    const [entry, ...more] = await t.sql(
      `select actor, operation, action, subject, purpose from audit_entries where user_id = $1 and operation = 'card-check'`,
      [at.user.id],
    )
    assert.deepEqual(entry, {
      actor: 'system:card-check',
      operation: 'card-check',
      action: 'read',
      subject: at.id,
      purpose: null,
    })
    assert.deepEqual(more, [])
  })

  it('503 while checks cannot be recorded, and once they are, it works again; what was sent twice is there once', async () => {
    const at = await issueToFamily(t)
    let isDown = true
    const query: typeof t.db.query = async (...call) => {
      const rows = await t.db.query(...call)
      if (isDown) throw new Error('away')
      return rows as never
    }
    const checks = createCardChecks({ ...t.db, query }, t.clock, { pendingMax: 1 })
    const node = await t.openNode({ cardChecks: checks })
    const ask = () =>
      node.app.inject({ url: codeOf(at), headers: { accept: 'application/json' }, remoteAddress: '203.0.113.7' })
    assert.equal((await ask()).statusCode, 200)
    await assert.rejects(() => checks.write(), /away/)
    assert.equal((await ask()).statusCode, 503)
    isDown = false
    await checks.write()
    assert.equal((await ask()).statusCode, 200)
    await checks.write()
    assert.equal((await checksIn(at)).length, 1)
  })

  it('leaves a chain of entries that verifies', async () => {
    const auditHeads = createAuditHeads({ keys: t.keys.signingKeys })
    await sealAudit({ db: t.db, auditHeads })
    assert.deepEqual((await verifyAudit({ db: t.db, auditHeads })).wrong, [])
  })
})
