import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { conflictOf } from '../../support/problems.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp()

const ask = (platform: TestPlatform, body: object) => t.call('POST', '/v1/auth/token', { token: platform.token, body })
const phone = (phone_number: string) => ({ phone_country_code: '+91', phone_number })
const idProof = (number: string) => ({ id_proof: { number } })

async function idOf(platform: TestPlatform, body: object): Promise<string> {
  const response = await ask(platform, body)
  assert.equal(response.status, 200, response.text)
  return response.body.user_id
}

const read = (platform: TestPlatform, id: string) => t.made('GET', `/v1/users/${id}`, { token: platform.token })

const onboard = (platform: TestPlatform, id: string) =>
  t.made('POST', `/v1/users/${id}/complete_onboarding`, { token: platform.token, body: ONBOARDING })

async function assertCount(platform: TestPlatform, count: number): Promise<void> {
  const users = await t.sql('select 1 from users where platform_id = $1', [platform.id])
  const events = await t.sql(`select 1 from events where platform_id = $1 and type = 'user.created'`, [platform.id])
  assert.deepEqual({ users: users.length, events: events.length }, { users: count, events: count })
}

async function assertConflict(platform: TestPlatform, body: object, ...users: string[]): Promise<void> {
  assert.equal(conflictOf(await ask(platform, body)), ['already_exists', ...users].join(' '))
}

const hashOf = (platform: TestPlatform, number: string) =>
  t.deps.vault.blindIndex('id_proof', `${platform.id}\0${number}`)

/** Creates a user whose id proof is stored as 0.2.0 did: as it was typed. */
async function storedBefore(platform: TestPlatform, body: { id_proof: { number: string } }): Promise<string> {
  const id = await idOf(platform, body)
  const hash = hashOf(platform, body.id_proof.number)
  await t.sql('delete from user_id_proofs where user_id = $1 and id_proof_hash <> $2', [id, hash])
  await t.sql('update users set id_proof_hash = $2 where user_id = $1', [id, hash])
  return id
}

describe('POST /v1/auth/token', () => {
  it('200 creates a user once and then finds the same one', async () => {
    const platform = await t.platform()
    const body = { ...phone('9876543210'), first_name: 'Asha' }
    const first = await ask(platform, body)
    const second = await ask(platform, body)

    assert.equal(first.status, 200)
    assert.match(first.body.user_id, /^[01][0-9]{11}$/)
    assert.equal(second.body.user_id, first.body.user_id)
    assert.equal(first.headers['cache-control'], 'no-store')
    const events = await t.sql(`select type, data from events where subject = $1`, [first.body.user_id])
    assert.deepEqual(events, [{ type: 'user.created', data: { user_id: first.body.user_id } }])
  })

  it('200 the same fields again change nothing', async () => {
    const platform = await t.platform()
    const body = { ...idProof('AB1234567'), ...phone('9876543210'), first_name: 'Asha' }
    const id = await idOf(platform, body)
    const before = await t.sql('select * from users where user_id = $1', [id])
    await idOf(platform, body)
    assert.deepEqual(await t.sql('select * from users where user_id = $1', [id]), before)
  })

  it('200 once: 20 concurrent identical calls create one user', async () => {
    const platform = await t.platform()
    const body = { ...idProof('AB1234567'), ...phone('9811111111') }
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(platform, body)))
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [200])
    assert.equal(new Set(responses.map((response) => response.body.user_id)).size, 1)
    await assertCount(platform, 1)
  })

  it('200 the token is the user’s own and gives access to nobody else', async () => {
    const platform = await t.platform()
    const { body } = await ask(platform, phone('9876543210'))
    const other = await t.user(platform)
    const own = await t.call('GET', `/v1/users/${body.user_id}`, { token: body.access_token })
    const foreign = await t.call('GET', `/v1/users/${other.id}`, { token: body.access_token })
    assert.deepEqual([own.status, own.body.user_id, foreign.status], [200, body.user_id, 404])

    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    assert.equal(claims.exp - claims.iat, 3600)
    assert.equal(claims.platform_id, platform.id)
    assert.ok(!JSON.stringify(claims).includes('9876543210'))
  })

  it('401 without a token, 403 for app users, benefit providers and administrators: no user is created', async () => {
    const platform = await t.platform()
    const [user, provider] = [await t.user(platform), await t.provider()]
    const body = phone('9822222222')
    assert.equal((await t.call('POST', '/v1/auth/token', { body })).status, 401)
    for (const token of [user.token, provider.token, t.owner, t.operator, t.viewer]) {
      assert.equal((await t.call('POST', '/v1/auth/token', { token, body })).status, 403)
    }
    await assertCount(platform, 1)
  })
})

describe('POST /v1/auth/token: identifying the user', () => {
  it('200 by id proof, and the phone may change until onboarding is complete', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') }), id)
    assert.equal((await read(platform, id)).phone_number, '9800000002')
    assert.equal(await idOf(platform, phone('9800000002')), id)
    assert.notEqual(await idOf(platform, phone('9800000001')), id, 'the old number is free for somebody else')
    await assertCount(platform, 2)
  })

  it('200 by id proof after onboarding too, and a new phone replaces the old one', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    await onboard(platform, id)
    const before = await read(platform, id)
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002'), first_name: 'Other' }), id)
    const { last_modified_at: _, ...now } = await read(platform, id)
    const { last_modified_at: __, ...expected } = { ...before, phone_number: '9800000002' }
    assert.deepEqual(now, expected, 'nothing but the phone is taken')
    assert.equal(await idOf(platform, phone('9800000002')), id)
    assert.notEqual(await idOf(platform, phone('9800000001')), id, 'the old number is free for its next holder')
    const reported = await t.sql(`select data from events where type = 'user.updated' and subject = $1`, [id])
    assert.deepEqual(reported, [{ data: { user_id: id } }])
  })

  it('200 a new phone ends the old one’s wallet sessions, and its next holder gets no code', async () => {
    const platform = await t.platform()
    const { signIn, askOtp, codeOf, refresh, resetLimits } = openSessions(t)
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    await resetLimits()
    const pair = await signIn(platform, { phone: '9800000001' })
    const readWallet = async () => (await t.call('GET', '/wallet/v1/wallet', { token: pair.access_token })).status
    assert.equal(await readWallet(), 404, 'let in; there is no wallet yet')
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') }), id)
    assert.equal((await refresh(pair.refresh_token)).status, 401)
    await within(DEADLINE_MS, async () => (await readWallet()) === 401)
    await resetLimits()
    const { challenge_id: old } = (await askOtp(phoneInput(platform, '9800000001'))).body
    assert.equal(await codeOf(old), undefined)
    const { challenge_id: fresh } = (await askOtp(phoneInput(platform, '9800000002'))).body
    assert.match(String(await codeOf(fresh)), /^[0-9]{6}$/)
  })

  it('409 a new phone that belongs to another user is rejected, and no session ends', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    const other = await idOf(platform, { ...idProof('AB7654321'), ...phone('9800000002') })
    await assertConflict(platform, { ...idProof('AB1234567'), ...phone('9800000002') }, id, other)
    assert.equal(await idOf(platform, phone('9800000001')), id)
    assert.equal(await idOf(platform, phone('9800000002')), other)
  })

  it('200 by phone alone, with and without an id proof', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    assert.equal(await idOf(platform, phone('9800000001')), id)
    const plain = await idOf(platform, phone('9800000002'))
    assert.equal(await idOf(platform, phone('9800000002')), plain)
  })

  it('200 an id proof sent later is stored and identifies the user from then on', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, phone('9800000001'))
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') }), id)
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000003') }), id)
    const [row] = await t.sql('select id_proof_last4 from users where user_id = $1', [id])
    assert.deepEqual(row, { id_proof_last4: '4567' })
    await assertCount(platform, 1)
  })

  it('200 an id proof sent only after onboarding is stored once: no second user for the same person', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, phone('9800000001'))
    await onboard(platform, id)
    const { last_modified_at: _, ...before } = await read(platform, id)
    const body = { ...idProof('AB1234567'), ...phone('9800000001'), first_name: 'Other' }
    const found = await Promise.all(Array.from({ length: 6 }, () => idOf(platform, body)))
    assert.deepEqual([...new Set(found)], [id])
    const stored = async () => t.sql('select id_proof_last4, revision from users where user_id = $1', [id])
    const [row] = await stored()
    assert.equal(row?.['id_proof_last4'], '4567')
    assert.equal(await idOf(platform, body), id)
    assert.deepEqual(await stored(), [row], 'sent again, it changes nothing')
    const { last_modified_at: __, ...after } = await read(platform, id)
    assert.deepEqual(after, before, 'no other field is taken')
    const proofs = await t.sql('select 1 from user_id_proofs where user_id = $1', [id])
    assert.equal(proofs.length, 1)

    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') }), id)
    await assertConflict(platform, { ...idProof('ZZ7654321'), ...phone('9800000002') }, id)
    await assertCount(platform, 1)
  })

  it('409 a first id proof after onboarding that belongs to another user: nothing is stored', async () => {
    const platform = await t.platform()
    const other = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') })
    const id = await idOf(platform, phone('9800000001'))
    await onboard(platform, id)
    await assertConflict(platform, { ...idProof('AB1234567'), ...phone('9800000001') }, other, id)
    const [row] = await t.sql('select id_proof_hash from users where user_id = $1', [id])
    assert.deepEqual(row, { id_proof_hash: null })
  })

  it('200 fields sent while onboarding is being completed do not overwrite what it recorded', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, phone('9800000001'))
    const late = Array.from({ length: 8 }, (_, index) => ({ ...phone('9800000001'), first_name: `Late ${index}` }))
    await Promise.all(
      [...late.slice(0, 4), ONBOARDING, ...late.slice(4)].map((body) =>
        body === ONBOARDING ? onboard(platform, id) : idOf(platform, body),
      ),
    )
    assert.equal((await read(platform, id)).first_name, ONBOARDING.first_name)
  })

  it('200 two platforms have separate users for the same phone and id proof', async () => {
    const [one, two] = [await t.platform(), await t.platform()]
    const body = { ...idProof('AB1234567'), ...phone('9800000001') }
    const [first, second] = [await idOf(one, body), await idOf(two, body)]
    assert.notEqual(first, second)
    assert.equal(await idOf(one, body), first)
    await assertCount(one, 1)
    await assertCount(two, 1)
  })

  it('200 the dial code is part of the phone', async () => {
    const platform = await t.platform()
    const indian = await idOf(platform, { phone_country_code: '+91', phone_number: '9800000001' })
    assert.notEqual(await idOf(platform, { phone_country_code: '+44', phone_number: '9800000001' }), indian)
  })

  it('409 conflict when id proof and phone belong to different users', async () => {
    const platform = await t.platform()
    const first = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    const second = await idOf(platform, phone('9800000002'))
    const contradiction = { ...idProof('AB1234567'), ...phone('9800000002'), first_name: 'Ravi' }
    const before = await read(platform, first)
    await assertConflict(platform, contradiction, first, second)
    assert.deepEqual(await read(platform, first), before)
    await onboard(platform, first)
    await assertConflict(platform, contradiction, first, second)
    await assertCount(platform, 2)
  })

  it('409 conflict when the phone was reassigned to somebody with another id proof', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001'), first_name: 'Asha' })
    const stranger = { ...idProof('ZZ7654321'), ...phone('9800000001'), first_name: 'Ravi' }
    await assertConflict(platform, stranger, id)
    assert.match((await ask(platform, stranger)).body.detail, /has another id proof.* PATCH \/v1\/users\/\{user_id\}/)
    await onboard(platform, id)
    await assertConflict(platform, stranger, id)
    assert.equal((await read(platform, id)).first_name, ONBOARDING.first_name)
    await assertCount(platform, 1)
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') }), id)
  })

  it('200 one id proof is one person, however it is typed', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof(' ab1234567 '), ...phone('9800000001') })
    for (const number of ['AB1234567', 'ab1234567', '\u3000Ab1234567', 'ＡＢ１２３４５６７']) {
      assert.equal(await idOf(platform, { ...idProof(number), ...phone('9800000001') }), id, number)
      const search = await t.call('POST', '/v1/users/search', { token: platform.token, body: idProof(number) })
      assert.deepEqual(
        search.body.data.map(({ user_id }: { user_id: string }) => user_id),
        [id],
        number,
      )
    }
    assert.notEqual(await idOf(platform, { ...idProof('AB12345678'), ...phone('9800000002') }), id)
    const [row] = await t.sql('select id_proof_last4 from users where user_id = $1', [id])
    assert.deepEqual(row, { id_proof_last4: '4567' })
    await assertCount(platform, 2)
  })

  it('200 an id proof that 0.2.0 stored as it was typed is found as that, and from then on however it is typed', async () => {
    const platform = await t.platform()
    const id = await storedBefore(platform, { ...idProof('ab1234567'), ...phone('9800000001') })
    assert.equal(await idOf(platform, { ...idProof('ab1234567'), ...phone('9800000001') }), id)
    const stored = async () => {
      const rows = 'select encode(id_proof_hash, $2) as hash from user_id_proofs where user_id = $1 order by 1'
      return (await t.sql<{ hash: string }>(rows, [id, 'hex'])).map(({ hash }) => hash)
    }
    const both = ['ab1234567', 'AB1234567'].map((number) => hashOf(platform, number).toString('hex')).toSorted()
    assert.deepEqual(await stored(), both, 'a node of 0.2.0 alongside this one still finds the person')
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') }), id)
    assert.equal(await idOf(platform, { ...idProof('ab1234567'), ...phone('9800000001') }), id)
    assert.deepEqual(await stored(), both)
    await assertCount(platform, 1)
  })

  it('200 two users whose id proofs differed in case alone in 0.2.0 are found by their own', async () => {
    const platform = await t.platform()
    const lower = await storedBefore(platform, { ...idProof('ab1234567'), ...phone('9800000001') })
    const upper = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') })
    assert.notEqual(lower, upper)
    for (let turn = 1; turn <= 2; turn++) {
      assert.equal(await idOf(platform, { ...idProof('ab1234567'), ...phone('9800000001') }), lower)
      assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002') }), upper)
    }
  })

  it('409 a birth or gender of another person than the onboarded user with the phone binds and issues nothing', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, phone('9800000001'))
    await onboard(platform, id)
    const before = await t.sql('select * from users where user_id = $1', [id])
    const same = { dob: ONBOARDING.dob, gender: ONBOARDING.gender }
    for (const other of [{ dob: '1975-01-01' }, { gender: 'OTHER' }, { ...same, dob: '1975-01-01' }])
      for (const proof of [{}, idProof('ZZ7654321')]) {
        const response = await ask(platform, { ...phone('9800000001'), ...proof, ...other })
        assert.equal(conflictOf(response), 'different_person', response.text)
        assert(!response.text.includes(ONBOARDING.dob) && !('access_token' in response.body))
      }
    assert.deepEqual(await t.sql('select * from users where user_id = $1', [id]), before)
    assert.deepEqual(await t.sql('select 1 from user_id_proofs where user_id = $1', [id]), [])
    assert.equal(await idOf(platform, { ...phone('9800000001'), ...same, first_name: 'Other' }), id)
    assert.deepEqual(await t.sql('select * from users where user_id = $1', [id]), before)
    assert.equal(await idOf(platform, { ...phone('9800000001'), dob: null }), id)
  })

  it('200 the stored id proof says who it is, whatever birth and gender come along; they stay as they are', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001') })
    await onboard(platform, id)
    const { last_modified_at: _, ...before } = await read(platform, id)
    const other = { dob: '1975-01-01', gender: 'OTHER' }
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000001'), ...other }), id)
    assert.equal(await idOf(platform, { ...idProof('AB1234567'), ...phone('9800000002'), ...other }), id)
    const { last_modified_at: __, ...after } = await read(platform, id)
    assert.deepEqual(after, { ...before, phone_number: '9800000002' })
  })

  it('409 for all but one id proof when several claim one phone concurrently', async () => {
    const platform = await t.platform()
    const id = await idOf(platform, phone('9800000001'))
    // As many as there are connections: on a busy cluster others would wait for one too long.
    const numbers = Array.from({ length: 8 }, (_, index) => `AB000000${index}`)
    const responses = await Promise.all(
      numbers.map((number) => ask(platform, { ...idProof(number), ...phone('9800000001') })),
    )

    const [taken, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([taken?.status, taken?.body.user_id, others], [200, id, []])
    const [row] = await t.sql('select id_proof_last4 from users where user_id = $1', [id])
    const winner = numbers[responses.findIndex((response) => response.status === 200)]
    assert.equal(row?.['id_proof_last4'], winner?.slice(-4))
    assert.equal(await idOf(platform, { ...idProof(String(winner)), ...phone('9800000001') }), id)
  })

  it('200 for one user with one phone when many phones come with one id proof concurrently', async () => {
    const platform = await t.platform()
    const phones = Array.from({ length: 8 }, (_, index) => `980000010${index}`)
    const responses = await Promise.all(
      phones.map((number) => ask(platform, { ...idProof('AB1234567'), ...phone(number) })),
    )
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [200])
    const [id, ...others] = new Set(responses.map((response) => response.body.user_id))
    assert.deepEqual(others, [])
    await assertCount(platform, 1)
    const kept = await t.sql('select 1 from user_phones where user_id = $1', [id])
    assert.equal(kept.length, 1, 'the user has one phone')
  })
})
