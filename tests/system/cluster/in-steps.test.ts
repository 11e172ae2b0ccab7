import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import { openTestApp } from '../../support/app.ts'
import { OPERATOR_SECRET } from '../../support/operator.ts'
import { openSessions, type Pair, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp({ own: true })
const { signIn, resetLimits, codeOf } = openSessions(t)
t.clock.at = new Date() // the clock is set: a predecessor of a refresh token is valid for ten seconds
after(() => void (t.clock.at = undefined))

let sent: string[] = []
const watched = (db: Database): Database => ({
  ...db,
  query: (step, values) => (sent.push(step.name), db.query(step, values)),
  pipeline: (steps) => (sent.push(...steps.map(({ statement }) => statement.name)), db.pipeline(steps)),
})
/** A process set up as on a cluster, where a lookup and its target are on different nodes. */
const node = await t.openNode({ batching: false, watched })

const identify = (platform: { token: string }, input: object, { call } = node) =>
  call('POST', '/v1/auth/token', { token: platform.token, body: { phone_country_code: '+91', ...input } })
const refresh = (token: string) =>
  node.call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token: token } })
const logOut = (token: string) => node.call('POST', '/wallet/v1/auth/logout', { body: { refresh_token: token } })

/** The same during hash key rotation: it knows two keys. */
const rotating = await t.openNode({
  batching: false,
  watched,
  vault: createVault({ ...t.keys, hashKeys: [Buffer.alloc(32, 77), ...t.keys.hashKeys] }),
})

/** Statements whose next responses have no rows, as from a node at which a commit has not arrived yet: their number by name. */
const unseen = new Map<string, number>()
const behind = await t.openNode({
  batching: false,
  watched: (db) => ({
    ...db,
    query: async (step, values) => {
      const left = unseen.get(step.name) ?? 0
      unseen.set(step.name, Math.max(0, left - 1))
      return left > 0 ? [] : db.query(step, values)
    },
  }),
})

/** The names of statements that join a lookup with its target. */
const JOINED = [
  'users_identify',
  'users_identify_by_any',
  'refresh_families_rotate',
  'refresh_tokens_inspect',
  'wallet_ids_find',
  'otp_limits_find_with_user',
]

async function inSteps<T>(work: () => Promise<T>): Promise<T> {
  sent = []
  const result = await work()
  assert(sent.length > 1, 'statements are seen')
  assert.deepEqual(
    sent.filter((name) => JOINED.includes(name)),
    [],
  )
  return result
}

describe('where lookups and users are on different nodes', () => {
  it('a user is the same by phone and by id proof', async () => {
    const platform = await t.platform()
    const proof = { id_proof: { type: 'PAN', number: 'ABCPE1234F' } }
    const body = { phone_country_code: '+91', phone_number: '9811100001', ...proof }
    const { user_id: id } = await t.made('POST', '/v1/auth/token', { token: platform.token, body })
    const byPhone = await inSteps(() => identify(platform, { phone_number: '9811100001' }))
    const byProof = await inSteps(() => identify(platform, { phone_number: '9811100002', ...proof }))
    const nobody = await inSteps(() => identify(platform, { phone_number: '9811100003' }))
    assert.deepEqual([byPhone.body.user_id, byProof.body.user_id], [id, id])
    assert.notEqual(nobody.body.user_id, id, 'another phone is another user')
    const freed = await identify(platform, { phone_number: '9811100001' })
    assert.notEqual(freed.body.user_id, id, 'the phone that the user gave up is not theirs any more')
  })

  it('a user whose commit has arrived at some nodes only is the same user, and no conflict', async () => {
    const platform = await t.platform()
    const input = { phone_number: '9811100021', id_proof: { type: 'PAN', number: 'ABCPE1234G' } }
    const { user_id: id } = (await identify(platform, input)).body
    const statements = ['users_find_by_phone', 'users_find_by_id_proof', 'users_identify_found']
    for (const late of [...statements.map((name) => [name]), statements, statements.slice(0, 2), statements.slice(1)]) {
      for (const name of late) unseen.set(name, 1)
      const found = await identify(platform, input, behind)
      assert.deepEqual([found.status, found.body.user_id], [200, id], `${late.join()}: ${found.text}`)
      assert.deepEqual([...unseen.values()].filter(Boolean), [], 'they were asked')
    }
    unseen.set('users_identify_found', Number.POSITIVE_INFINITY)
    const gone = await identify(platform, input, behind)
    unseen.clear()
    assert.deepEqual([gone.status, gone.body.code], [503, 'unavailable'])
    assert.match(String(gone.headers['retry-after']), /^[1-9]/)
  })

  it('two people are told apart: a phone with another id proof, and an id proof with the phone of another', async () => {
    const platform = await t.platform()
    const inputs = ['H', 'I'].map((letter, n) => ({
      phone_number: `981110003${n}`,
      id_proof: { type: 'PAN', number: `ABCPE1234${letter}` },
    }))
    const ids = []
    for (const input of inputs) ids.push((await identify(platform, input)).body.user_id)
    const other = { type: 'PAN', number: 'ABCPE1234J' }
    const wrong = [
      { input: { ...inputs[0], id_proof: other }, existing: ids.slice(0, 1) },
      { input: { ...inputs[0], id_proof: inputs[1]?.id_proof }, existing: ids.toReversed() },
    ]
    for (const { input, existing } of wrong) {
      const { status, body } = await inSteps(() => identify(platform, input))
      assert.deepEqual([status, body.code, body.existing_ids], [409, 'conflict', existing])
    }
  })

  it('a code is sent to the user who has the phone, and to nobody when there is none', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    for (const [phone, isKnown] of [
      [user.phone, true],
      ['9811100009', false],
    ] as const) {
      await resetLimits()
      const asked = await inSteps(() => node.call('POST', '/wallet/v1/auth/otp', { body: phoneInput(platform, phone) }))
      assert.equal(asked.status, 202, asked.text)
      assert.equal((await codeOf(asked.body.challenge_id)) !== undefined, isKnown)
      assert.equal(sent.filter((name) => name === 'users_find_active').length, 1, 'asked for an unknown phone too')
    }
  })

  it('a refresh token is used once, its predecessor briefly gets the same pair, and an older one ends the session', async () => {
    const platform = await t.platform()
    const first: Pair = await signIn(platform, await t.user(platform))
    const second = await inSteps(() => refresh(first.refresh_token))
    assert.equal(second.status, 200, second.text)
    const again = await inSteps(() => refresh(first.refresh_token))
    assert.deepEqual(again.body, second.body)
    const third = await refresh(second.body.refresh_token)
    assert.equal(third.status, 200, third.text)
    const reused = await inSteps(() => refresh(first.refresh_token))
    assert.equal(reused.body.code, 'invalid_refresh_token')
    assert.equal((await refresh(third.body.refresh_token)).status, 401, 'the session is over')
  })

  it('no session continues after its platform was disabled, or after logout', async () => {
    const platform = await t.platform()
    const [mine, yours] = [
      await signIn(platform, await t.user(platform)),
      await signIn(platform, await t.user(platform)),
    ]
    assert.equal((await inSteps(() => logOut(mine.refresh_token))).status, 200)
    assert.equal((await refresh(mine.refresh_token)).status, 401)
    const disabled = { token: t.owner, body: { status: 'INACTIVE' } }
    await t.made('PUT', `/v1/platforms/${platform.id}/status`, disabled)
    assert.equal((await refresh(yours.refresh_token)).status, 401)
    assert.equal((await refresh('byn_rt_unknown')).status, 401)
  })

  it('during hash key rotation users are found under either key, and a phone given up is free', async () => {
    const platform = await t.platform()
    for (const [maker, phone] of [
      [node, '9811100011'],
      [rotating, '9811100012'],
    ] as const) {
      const proof = { id_proof: { type: 'PAN', number: `ABCPE${phone}` } }
      const { user_id: id } = (await identify(platform, { phone_number: phone, ...proof }, maker)).body
      const found = []
      for (const input of [{ phone_number: phone }, { phone_number: phone, ...proof }]) {
        found.push((await inSteps(() => identify(platform, input, rotating))).body.user_id)
      }
      assert.deepEqual(found, [id, id])
      await resetLimits()
      const asked = await inSteps(() =>
        rotating.call('POST', '/wallet/v1/auth/otp', { body: phoneInput(platform, phone) }),
      )
      const challenges = 'select user_id from otp_challenges where challenge_id = $1'
      assert.deepEqual(await t.sql(challenges, [asked.body.challenge_id]), [{ user_id: id }])

      const later = String(Number(phone) + 100)
      const changed = await inSteps(() => identify(platform, { phone_number: later, ...proof }, rotating))
      assert.equal(changed.body.user_id, id, changed.text)
      assert.equal((await t.sql('select 1 from user_phones where user_id = $1', [id])).length, 2, 'one by each key')
      const patch = { phone_country_code: '+91', phone_number: String(Number(phone) + 200) }
      await inSteps(() => rotating.call('PATCH', `/v1/users/${id}`, { token: platform.token, body: patch }))
      assert.equal((await identify(platform, { phone_number: patch.phone_number }, rotating)).body.user_id, id)
      for (const freed of [phone, later]) {
        for (const one of [node, rotating]) {
          const next = await identify(platform, { phone_number: freed }, one)
          assert.notEqual(next.body.user_id, id, next.text)
        }
      }
    }
  })

  it('an operator event is received once, for the wallet it names', async () => {
    const platform = await t.platform()
    const token = await t.walletToken(platform, await t.user(platform))
    const { partner_wallet_id: reference } = await t.made('POST', '/wallet/v1/wallet', { token })
    const sendEvent = (event: object) => {
      const body = JSON.stringify(event)
      const time = Math.floor((t.clock.at ?? new Date()).getTime() / 1000)
      const signature = createHmac('sha256', OPERATOR_SECRET).update(`${time}.${body}`).digest('hex')
      const headers = { 'operator-signature': `t=${time},v1=${signature}` }
      return node.call('POST', '/wallet/v1/operator/events', { body, headers })
    }
    const event = { event_id: 'op-steps-1', reference, status: 'ACTIVE', sequence: 1 }
    const received = []
    for (let time = 0; time < 2; time++) received.push((await inSteps(() => sendEvent(event))).body.received)
    const unknown = await inSteps(() => sendEvent({ ...event, event_id: 'op-steps-2', reference: 'wal_unknown' }))
    assert.deepEqual([...received, unknown.body.received], [true, false, true])
    const rows = await t.sql('select operator_status from wallets where partner_wallet_id = $1', [reference])
    assert.deepEqual(rows, [{ operator_status: 'ACTIVE' }])
  })

  it('a benefit is deleted once a change of nothing has waited for enrolments at every copy of it', async () => {
    const id = await t.benefit(await t.platform(), await t.provider())
    const [before] = await t.sql<{ revision: number }>('select revision from benefits where benefit_id = $1', [id])
    assert(before)
    const deleted = await inSteps(() => node.call('DELETE', `/v1/benefits/${id}`, { token: t.owner }))
    assert.equal(deleted.status, 200, deleted.text)
    const locks = sent.filter((name) => name.startsWith('benefits_archive_lock'))
    assert.deepEqual(locks, ['benefits_archive_lock_copies'], 'a lock would hold one copy')
    const [row] = await t.sql('select status, revision from benefits where benefit_id = $1', [id])
    assert.deepEqual(row, { status: 'ARCHIVED', revision: before.revision + 1 })
  })
})
