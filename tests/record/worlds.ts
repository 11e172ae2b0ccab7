import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BEGUN_FAMILY, beginningText, type Family, createRefreshFamilies } from '../../src/access/refresh-families.ts'
import { decodeUser, USER_COLUMNS } from '../../src/domains/people/users/index.ts'
import { onlyRow, statement } from '../../src/kernel/db/database.ts'
import { type TestResponse, type CallFunction, ONBOARDING, PLAN, type TestApp, type TestUser } from '../support/app.ts'
import { claimsOf } from '../support/sessions.ts'

const CALLS_MAX = 3

/** The request of a call. Phones, id proofs and names are those of its world. */
export type CallRequest =
  | {
      kind: 'token'
      phone: 0 | 1
      proof: 0 | 1 | null
      name: 'Asha' | 'Ravi' | null
      email: 'one@example.com' | 'other@example.com' | null
    }
  | { kind: 'wallet' }
  | { kind: 'refresh' }
  | { kind: 'logOut' }
  | { kind: 'dependants'; names: string[] }
  | InsuredRequest

/** Requests for insured users: a policy is PENDING and a consultation OPEN. */
type InsuredRequest =
  | { kind: 'enrol'; start: (typeof STARTS)[number]; covers: boolean }
  | { kind: 'transition'; to: 'VERIFICATION' | 'REJECTED' }
  | { kind: 'write' }
  | { kind: 'close' }

const STARTS = ['2026-04-01', '2027-04-01'] as const

/** A few calls that may be about the same records, and the users that existed before them. */
export type World = {
  before: 'nobody' | 'a user' | 'a user with an id proof' | 'an onboarded user' | 'an insured user'
  calls: CallRequest[]
}

const token = fc.record({
  kind: fc.constant('token' as const),
  phone: fc.constantFrom(0 as const, 1 as const),
  proof: fc.constantFrom(0 as const, 1 as const, null),
  // Most users are called Asha: a new name is written alone, with the policies that follow it.
  name: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('Asha' as const, null) },
    { weight: 1, arbitrary: fc.constant('Ravi' as const) },
  ),
  email: fc.constantFrom('one@example.com' as const, 'other@example.com' as const, null),
})
const callRequest: fc.Arbitrary<CallRequest> = fc.oneof(
  { weight: 4, arbitrary: token },
  { weight: 1, arbitrary: fc.constant({ kind: 'wallet' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'refresh' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'logOut' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('dependants' as const),
      names: fc.uniqueArray(fc.constantFrom('Ravi', 'Mina', 'Kabir'), { minLength: 1 }),
    }),
  },
)
const insuredRequest: fc.Arbitrary<InsuredRequest> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('enrol' as const),
      start: fc.constantFrom(...STARTS),
      covers: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('transition' as const),
      to: fc.constantFrom('VERIFICATION' as const, 'REJECTED' as const),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'write' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
)
export const world: fc.Arbitrary<World> = fc.oneof(
  fc.record({
    before: fc.constant('nobody' as const),
    calls: fc.array(token, { minLength: 1, maxLength: CALLS_MAX }),
  }),
  fc.record({
    before: fc.constantFrom('a user' as const, 'a user with an id proof' as const, 'an onboarded user' as const),
    calls: fc.array(callRequest, { minLength: 1, maxLength: CALLS_MAX }),
  }),
  fc.record({
    before: fc.constant('an insured user' as const),
    calls: fc.array(insuredRequest, { minLength: 1, maxLength: CALLS_MAX }),
  }),
)

const SIGN_IN = statement(
  'test_sign_in',
  `with admitted as (select $1 as user_id, $2 as platform_id),
   ${beginningText({ id: '$3', tokenHash: '$4', at: '$5::timestamptz' })}
   select ${BEGUN_FAMILY} from begun`,
)

const USERS = statement(
  'test_users',
  `
  select ${USER_COLUMNS}, u.id_proof_last4,
         (select array_agg(p.phone_hash) from user_phones p where p.user_id = u.user_id) as phones,
         (select array_agg(p.id_proof_hash) from user_id_proofs p where p.user_id = u.user_id) as proofs,
         (select array_agg(concat_ws(' ', w.wallet_status, w.balance_paise, w.revision)) from wallets w
           where w.user_id = u.user_id) as wallets,
         (select array_agg(concat_ws(' ', f.generation, f.ended_at is not null,
                   (select count(*) from refresh_tokens r where r.family_id = f.family_id),
                   (select count(*) from revocations c where c.subject = 'session:' || f.family_id)))
            from refresh_families f where f.user_id = u.user_id) as families,
         (select count(*)::int from dependants d where d.user_id = u.user_id) as dependants,
         (select array_agg(concat_ws(' ', p.start_date, p.status, p.revision, cardinality(p.dependant_ids),
                   (select count(*) from policy_snapshots f where f.user_id = p.user_id and f.policy_id = p.policy_id)))
            from insurance_policies p where p.user_id = u.user_id) as policies,
         (select array_agg(concat_ws(' ', c.status, c.revision,
                   (select count(*) from consultation_messages m where m.user_id = c.user_id)))
            from consultations c where c.user_id = u.user_id) as consultations,
         (select count(*)::int from user_providers p where p.user_id = u.user_id) as providers,
         (select array_agg(concat_ws(' ', e.type, e.data ->> 'from', e.data ->> 'to')) from events e
           where e.data ->> 'user_id' = u.user_id) as events,
         (select array_agg(concat_ws(' ', h.from_status, h.to_status)) from user_status_changes h
           where h.user_id = u.user_id) as history
    from users u
   where u.user_id = any ($1)
      or u.user_id in (select user_id from user_phones where phone_hash = any ($2))
      or u.user_id in (select user_id from user_id_proofs where id_proof_hash = any ($3))`,
)

/** Calls with their responses. */
export type Reported = { request: CallRequest; response: TestResponse }[]

/** Creates worlds, makes calls in them, and returns their final state. */
export async function prepareWorlds(t: TestApp) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const families = createRefreshFamilies(t.db, { vault: t.deps.vault, tokens: t.walletTokens, clock: t.clock })
  let worlds = 0

  /** A separate world: two phones, two id proofs, and its initial users. */
  async function begin({ before }: World) {
    const number = String(++worlds).padStart(8, '0')
    const phones = [`91${number}`, `92${number}`] as const
    const proofs = [`X${number}`, `Y${number}`] as const
    const inputOf = ({ phone, proof, name, email }: Extract<CallRequest, { kind: 'token' }>) => ({
      phone_country_code: '+91',
      phone_number: phones[phone],
      ...(proof !== null && { id_proof: { number: proofs[proof] } }),
      ...(name !== null && { first_name: name }),
      ...(email !== null && { email }),
    })
    const at = { phones, proofs, inputOf, insured: { dependant: '', policy: '', consultation: '' } }
    if (before === 'nobody') return { ...at, userId: '', tokens: { wallet: '', refresh: '' } }
    const proof = before === 'a user with an id proof' ? 0 : null
    const input = inputOf({ kind: 'token', phone: 0, proof, name: 'Asha', email: null })
    const { user_id: userId, access_token } = await t.made('POST', '/v1/auth/token', {
      token: platform.token,
      body: input,
    })
    if (before === 'an onboarded user' || before === 'an insured user') {
      await t.made('POST', `/v1/users/${userId}/complete_onboarding`, { token: platform.token, body: ONBOARDING })
    }
    if (before === 'an insured user') at.insured = await insure({ id: userId, token: access_token, phone: phones[0] })
    const pair = await families.begin(async ({ id, tokenHash, at: time }) => {
      const values = [userId, platform.id, id, tokenHash, time]
      return onlyRow(await t.db.query<Family>(SIGN_IN, values))
    })
    assert(pair, 'the user is signed in')
    return { ...at, userId: String(userId), tokens: { wallet: pair.accessToken, refresh: pair.refreshToken } }
  }

  /** A dependant, a policy that covers nobody alongside the user, and a consultation. */
  async function insure(user: TestUser) {
    const [dependant = ''] = await t.dependants(user)
    const policy = await t.policy(platform, user, benefit, { start_date: STARTS[0] })
    return { dependant, policy, consultation: await t.consultation(platform, user, provider) }
  }

  type Scene = Awaited<ReturnType<typeof begin>>

  const refreshed = async (call: CallFunction, refresh_token: string) =>
    (await call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })).status

  function ask(
    call: CallFunction,
    { inputOf, userId, tokens, insured }: Scene,
    request: CallRequest,
  ): Promise<TestResponse> {
    switch (request.kind) {
      case 'token':
        return call('POST', '/v1/auth/token', { token: platform.token, body: inputOf(request) })
      case 'wallet':
        return call('POST', '/wallet/v1/wallet', { token: tokens.wallet })
      case 'refresh':
        return call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token: tokens.refresh } })
      case 'logOut':
        return call('POST', '/wallet/v1/auth/logout', { body: { refresh_token: tokens.refresh } })
      case 'dependants': {
        const named = (first_name: string) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' })
        const body = { dependants: request.names.map(named) }
        return call('POST', `/v1/users/${userId}/dependants/bulk`, { token: platform.token, body })
      }
      case 'enrol': {
        const terms = { benefit_id: benefit, plan_code: PLAN.plan_code, start_date: request.start }
        const body = { ...terms, dependant_ids: request.covers ? [insured.dependant] : [] }
        return call('POST', `/v1/users/${userId}/insurance_policies`, { token: platform.token, body })
      }
      case 'transition': {
        const url = `/v1/users/${userId}/insurance_policies/${insured.policy}/status`
        return call('PUT', url, { token: provider.token, body: { status: request.to } })
      }
      case 'write': {
        const url = `/v1/users/${userId}/consultations/${insured.consultation}/messages`
        return call('POST', url, { token: platform.token, body: { body: { content: 'Hello', message_type: 'TEXT' } } })
      }
      case 'close': {
        const url = `/v1/users/${userId}/consultations/${insured.consultation}/status`
        return call('PUT', url, { token: platform.token, body: { status: 'CLOSED' } })
      }
    }
  }

  /** The state of a world after its calls, with names of its own instead of ids, hashes and times. */
  async function outcomeOf(scene: Scene, reported: Reported): Promise<string> {
    const { vault } = t.deps
    const hashes = {
      phones: scene.phones.map((phone) => vault.blindIndex('phone', `${platform.id}\0+91${phone}`)),
      proofs: scene.proofs.map((proof) => vault.blindIndex('id_proof', `${platform.id}\0${proof}`)),
    }
    const nameOf = (known: Buffer[], hash: Buffer | null) => hash && known.findIndex((one) => one.equals(hash))
    const ids = reported.map(({ response }) => response.body.user_id).filter((id) => typeof id === 'string')
    type Row = {
      phones: Buffer[] | null
      proofs: Buffer[] | null
      id_proof_last4: string | null
      events: string[] | null
      history: string[] | null
      policies: string[] | null
    } & Record<string, unknown>
    const rows = await t.db.query<Row>(USERS, [[scene.userId, ...ids], hashes.phones, hashes.proofs])
    const users = rows.map(({ phones, proofs, events, history, policies, ...row }) => {
      const { id, profile, phoneHash, idProofHash, isOnboarded, revision } = decodeUser(row, vault)
      const { first_name, email, phone_number } = profile
      const record = {
        phone: nameOf(hashes.phones, phoneHash),
        proof: nameOf(hashes.proofs, idProofHash),
        lastFour: row.id_proof_last4 === null ? null : idProofHash !== null,
        phones: phones?.map((hash) => nameOf(hashes.phones, hash)),
        proofs: proofs?.map((hash) => nameOf(hashes.proofs, hash)),
        profile: { first_name, email, phone: scene.phones.indexOf(phone_number as never) },
        isOnboarded,
        revision,
        wallets: row['wallets'],
        families: row['families'],
        dependants: row['dependants'],
        policies: policies?.toSorted(),
        consultations: row['consultations'],
        providers: row['providers'],
        events: events?.toSorted(),
        history: history?.toSorted(),
      }
      return { id: String(id), text: JSON.stringify(record) }
    })
    const texts = users.map(({ text }) => text).toSorted()
    const responses = reported.map(({ request, response }) => {
      const { user_id, access_token, refresh_token, code, created, data } = response.body
      const record = {
        request,
        status: response.status,
        code,
        created,
        user: texts.indexOf(users.find(({ id }) => id === user_id)?.text ?? ''),
        isOwn: access_token && claimsOf(access_token).sub === (user_id ?? scene.userId),
        isNext: refresh_token && refresh_token !== scene.tokens.refresh,
        names: data?.map(({ first_name }: { first_name: string }) => first_name),
      }
      return JSON.stringify(record)
    })
    const pairs = new Set(reported.flatMap(({ response }) => response.body.refresh_token ?? []))
    const later = await Promise.all([...pairs].map((token) => refreshed(t.call, token)))
    return [...texts, ...responses.toSorted(), `refreshed: ${later.join()}`].join('\n')
  }

  return { begin, ask, outcomeOf }
}
