import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { countAll } from '../../../src/domains/administration/statistics/index.ts'
import { hashKeyStatus } from '../../../src/domains/people/users/index.ts'
import { ERASED, erasureDeps } from '../../../src/data-map/erase.ts'
import { addDays } from '../../../src/kernel/date.ts'
import { todayIn } from '../../../src/kernel/clock.ts'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { linesOf, pemOf, prepareHolds } from '../../personal-data/holds.ts'
import { prepareScenes, rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { folder, holder, erasure, node, banyan, until, erase, held, holdOf, ...holds } = await prepareHolds(t)
const { person } = prepareScenes(t)
const DAYS = erasure.holdDays
const stranger = generateKeyPairSync('rsa', { modulusLength: 3_072 })
const keyFile = join(folder, 'holder.pem')
const strangerFile = join(folder, 'stranger.pem')
await writeFile(keyFile, pemOf(holder.privateKey))
await writeFile(strangerFile, pemOf(stranger.privateKey))
const open = (input: string, key = keyFile) => holds.open(input, key)

/** A run on this day, at noon, of one worker or several at once; today without a day. */
async function run(day?: string, workers = 1): Promise<void> {
  t.clock.at = day === undefined ? undefined : new Date(`${day}T12:00:00Z`)
  try {
    const runOne = () => runErasures({ ...t.deps, erasure, ...erasureDeps(t.deps) }, t.log)
    await Promise.all(Array.from({ length: workers }, runOne))
  } finally {
    t.clock.at = undefined
  }
}

describe('an erasure with a hold of a year', () => {
  it('says what is held, by which law and until when; the person is gone at once', async () => {
    const at = await person()
    const preview = await node.call('GET', `/v1/users/${at.user.id}/erasure`, { token: at.platform.token })
    const { fields } = await erase(at)
    assert.deepEqual(preview.body.fields, fields)
    const law = 'Digital Personal Data Protection Rules, 2025, rule 8(3)'
    for (const { field, ...outcome } of fields) {
      const { hold: isHeld, ground } = ERASED.find((one) => one.field === field) ?? assert.fail(field)
      if (isHeld) assert.deepEqual(outcome, { outcome: 'retained', law, until: until() }, field)
      else assert.equal(outcome.outcome, ground ? 'retained' : 'erased', field)
    }
    const ofHold = fields.filter((one: { law?: string }) => one.law === law)
    assert(ofHold.length >= 8)

    for (const path of ['', '/export', '/dependants', '/consents', '/consultations', '/insurance_policies', '/erasure'])
      for (const token of [at.platform.token, t.owner])
        assert.equal((await node.call('GET', `/v1/users/${at.user.id}${path}`, { token })).status, 404, path)
    const byPhone = { phone_country_code: '+91', phone_number: at.user.phone }
    const search = await node.call('POST', '/v1/users/search', { token: at.platform.token, body: byPhone })
    assert.equal(search.body.total, 0)
    for (const run of ['before', 'after'] as const) {
      for (const [list, token] of [
        ['consultations', at.provider.token],
        ['endorsements', at.provider.token],
        ['insurance_policies', at.platform.token],
        ['next_actions', at.platform.token],
      ] as const) {
        const { data } = await t.made('GET', `/v1/${list}?limit=100`, { token })
        assert(!JSON.stringify(data).includes(at.user.id), `${list} ${run} the rest is erased`)
      }
      await runErasures({ ...t.deps, erasure, ...erasureDeps(t.deps) }, t.log)
    }
  })

  it('leaves the key to nobody but the holder of the private key, and deletes what leads to the person', async () => {
    const at = await person()
    const [before] = await t.sql<{ key: string; sealed: string }>(
      'select data_key as key, sealed from users where user_id = $1',
      [at.user.id],
    )
    await erase(at)
    await run()
    const [row] = await t.sql(
      `select u.data_key, u.sealed, u.phone_hash, u.id_proof_last4, h.wrapped_key, h.sealed as held_sealed, h.held_until::text as until
         from users u join erasure_holds h using (user_id) where u.user_id = $1`,
      [at.user.id],
    )
    const { wrapped_key, ...others } = row as Record<string, unknown> & { wrapped_key: string }
    assert.deepEqual(others, {
      data_key: null,
      sealed: '',
      phone_hash: Buffer.alloc(0),
      id_proof_last4: null,
      held_sealed: before?.sealed,
      until: until(),
    })
    assert.throws(() => t.deps.vault.unwrap(wrapped_key), 'no master key opens it')
    assert(!wrapped_key.includes(before?.key ?? '-'))
    const rows = await rowsByTable(t, at.user.id)
    for (const table of ['dependants', 'consultations', 'consultation_messages', 'consents', 'rights_requests'])
      assert((rows[table] ?? 0) > 0, `${table} wait for the end of the hold`)
    for (const table of [
      'user_phones',
      'user_id_proofs',
      'user_references',
      'user_providers',
      'refresh_families',
      'idempotency_keys',
      'otp_challenges',
      'policy_files',
      'health_cards',
      'card_checks',
      'accounts',
      'account_numbers',
      'policy_endorsements',
      'policy_assignees',
      'wallet_ids',
    ])
      assert.equal(rows[table], 0, `${table} do not`)
  })

  it('opens for the holder, who has no database and no settings, until its last day, and not after it', async () => {
    const at = await person()
    await erase(at)
    await run()
    const sealed = await held(at)
    assert.equal(sealed.code, 0, sealed.err)
    for (const word of ['Asha', 'Ravi', 'fever', 'Screen 4', at.user.phone ?? '-'])
      assert(!sealed.out.includes(word), `${word} is not readable without the key`)

    const opened = await open(sealed.out)
    assert.equal(opened.code, 0, opened.err)
    const [first, ...values] = linesOf(opened.out)
    assert.deepEqual([first.user_id, first.held_until, 'wrapped_key' in first], [at.user.id, until(), false])
    assert.match(first.id_proof_last4, /^.{4}$/)
    const valuesIn = (column: string) => values.filter((one) => one.column === column).map(({ value }) => value)
    const [profile] = valuesIn('users.sealed')
    assert.deepEqual([profile.first_name, profile.phone_number], ['Asha', at.user.phone])
    const dependants = valuesIn('dependants.sealed').map(({ first_name }) => first_name)
    assert.deepEqual(new Set(dependants), new Set(['Mina', 'Ravi']))
    assert.deepEqual(valuesIn('consents.proof_sealed'), ['Screen 4'])
    assert.deepEqual(valuesIn('rights_requests.text_sealed'), ['What do you know of me?'])
    assert(JSON.stringify(valuesIn('consultation_messages.sealed')).includes('I have a fever'))
    assert(JSON.stringify(valuesIn('ledger_transactions.sealed')).includes('For school books'))
    assert(JSON.stringify(valuesIn('policy_snapshots.sealed')).includes('Ravi'), 'what the documents said')

    const endOf = () =>
      t.sql(`select actor, action, subject from audit_entries where user_id = $1 and operation = 'end-hold'`, [
        at.user.id,
      ])
    await run(until())
    assert.equal((await held(at)).code, 0, 'on the last day')
    assert.deepEqual(await endOf(), [])
    await run(addDays(until(), 1), 3)
    await run(addDays(until(), 2))
    assert.deepEqual(await endOf(), [{ actor: 'system:end-hold', action: 'change', subject: at.user.id }])
    const over = await held(at)
    assert.deepEqual([over.code, over.out], [1, ''])
    assert.match(over.err, /^Nothing is held of \d{12}\.\n$/)
    const rows = await rowsByTable(t, at.user.id)
    for (const { tables } of ERASED)
      for (const [table, outcome] of Object.entries(tables))
        if (outcome === 'deleted' && table in rows) assert.equal(rows[table], 0, `${table} is deleted with the hold`)
    const [policy] = await t.sql('select sealed, dependant_ids from insurance_policies where user_id = $1', [
      at.user.id,
    ])
    assert.deepEqual(policy, { sealed: null, dependant_ids: [] })
  })

  it('exit 2 for another private key and an altered list, 1 for a value of another row', async () => {
    const [one, other] = [await person(), await person()]
    for (const at of [one, other]) await erase(at)
    const [ofOne, ofOther] = [(await held(one)).out, (await held(other)).out]
    const wrong = await open(ofOne, strangerFile)
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.match(wrong.err, /^The key of the person was wrapped for the private key \w{16}; this one is \w{16}\.\n$/)
    const [first = '', ...rest] = ofOne.trim().split('\n')
    const [firstOfOther = ''] = ofOther.split('\n')
    const altered = { ...JSON.parse(first), user_id: other.user.id }
    for (const line of [JSON.stringify(altered), firstOfOther.replace(other.user.id, one.user.id)]) {
      const { code, out, err } = await open([line, ...rest].join('\n'))
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /^The key of the person does not open/)
    }
    for (const input of ['', 'no list', `${first}\n{}`]) {
      const { code, out, err } = await open(input)
      assert.deepEqual([code, out], [2, ''], input)
      assert.match(err, /^Line [12] is not of the output of `erasures held`\./)
    }
    const closed = join(folder, 'closed.pem')
    await writeFile(
      closed,
      holder.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    )
    for (const key of [closed, import.meta.filename]) assert.equal((await open(ofOne, key)).code, 2, key)

    const mixed = await open([firstOfOther, ...rest].join('\n'))
    assert.equal(mixed.code, 1)
    const [, ...values] = linesOf(mixed.out)
    assert(values.every((value) => value.unreadable === true && !('value' in value)))
    for (const words of [
      ['held', '--help'],
      ['open', '--help'],
    ])
      assert.match((await banyan(words)).out, /Exit codes: 0 /)
  })

  it('waits for nobody: not in the statistics, and not for an older hash key', async () => {
    const at = await person()
    const counted = async () => {
      await t.sql(`update statistics set as_of = as_of - interval '1 minute'`) // else they are fresh enough
      await countAll(t.deps.db, t.deps.clock)
      const { waiting } = await t.made('GET', '/v1/statistics', { token: at.provider.token })
      const status = await hashKeyStatus({ db: t.deps.db, keys: t.keys })
      const dependants = status.reduce((sum, { needed }) => sum + needed.dependants, 0)
      return { waiting: waiting.find(({ list }: { list: string }) => list === 'consultations')?.count ?? 0, dependants }
    }
    const before = await counted()
    await erase(at)
    await run()
    assert.deepEqual(await counted(), { waiting: before.waiting - 1, dependants: before.dependants - 2 })

    const unheld = await person()
    const unheldBefore = await t.sql('select from consultations where user_id = $1 and awaits_provider', [
      unheld.user.id,
    ])
    assert.equal(unheldBefore.length, 1)
    await t.made('DELETE', `/v1/users/${unheld.user.id}?end_policies=true`, { token: unheld.platform.token })
    await run()
    const left = await t.sql('select from consultations where user_id = $1', [unheld.user.id])
    assert.equal(left.length, 0, 'without a hold nothing is left to count')
  })

  it('is none for a person whose data key nobody can open, who is erased like any other', async () => {
    const at = await issueToFamily(t)
    await t.sql(`update users set data_key = 'lost.' || split_part(data_key, '.', 2) where user_id = $1`, [at.user.id])
    const { fields } = await erase(at)
    const [profile] = fields
    assert.deepEqual(profile, { field: 'profile', outcome: 'erased' })
    assert.equal(await holdOf(at), undefined)
    await run()
    assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0)
  })

  it('begins when the notice is over, and the first response says so', async () => {
    const at = await issueToFamily(t)
    const noticed = { ...erasure, noticeHours: 48 }
    const other = await t.openNode({ erasure: noticed })
    const path = `/v1/users/${at.user.id}?end_policies=true`
    const { body } = await other.call('DELETE', path, { token: at.platform.token })
    const promised = addDays(todayIn({ now: () => new Date(Date.now() + 48 * 3_600_000) }), DAYS)
    assert.equal(body.fields[0].until, promised)
    assert.equal(await holdOf(at), undefined)
    t.clock.at = new Date(Date.now() + 49 * 3_600_000)
    const expected = addDays(todayIn(t.deps.clock), DAYS)
    try {
      await runErasures({ ...t.deps, erasure: noticed, ...erasureDeps(t.deps) }, t.log)
    } finally {
      t.clock.at = undefined
    }
    assert.equal(await holdOf(at), expected)
  })

  it('a worker warns of who is not held after the notice, by id', async () => {
    const [lost, other] = [await issueToFamily(t), await issueToFamily(t)]
    const noticed = { ...erasure, noticeHours: 48 }
    const withNotice = await t.openNode({ erasure: noticed })
    for (const { user, platform } of [lost, other])
      await withNotice.call('DELETE', `/v1/users/${user.id}?end_policies=true`, { token: platform.token })
    await t.sql(`update users set data_key = 'lost.' || split_part(data_key, '.', 2) where user_id = $1`, [
      lost.user.id,
    ])
    const warned: unknown[][] = []
    const log = { ...t.log, warn: (...line: unknown[]) => void warned.push(line) }
    t.clock.at = new Date(Date.now() + 49 * 3_600_000)
    try {
      await runErasures({ ...t.deps, erasure: noticed, ...erasureDeps(t.deps) }, log)
    } finally {
      t.clock.at = undefined
    }
    assert.deepEqual(warned, [
      [{ user_id: lost.user.id }, 'an erased user was to be held and is not, because no key opens the data'],
    ])
    assert.deepEqual([await holdOf(lost), await holdOf(other)].map(Boolean), [false, true])
  })

  it('holds nothing where it is not set', async () => {
    const at = await issueToFamily(t)
    await t.made('DELETE', `/v1/users/${at.user.id}?end_policies=true`, { token: at.platform.token })
    assert.equal(await holdOf(at), undefined)
  })
})
