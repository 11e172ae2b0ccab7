import { randomUUID } from 'node:crypto'
import { runErasures } from '../../src/domains/privacy/personal-data/index.ts'
import { erasureDeps } from '../../src/data-map/erase.ts'
import type { TestApp } from '../support/app.ts'
import { issueToFamily, type PolicyScene } from '../support/issued-policies.ts'
import { CONSENT, NOTICE } from '../support/consents.ts'
import { openSessions } from '../support/sessions.ts'
import { smallPdf } from '../support/small-pdf.ts'

/** People with rows in every table, and their erasure. */
export function prepareScenes(t: TestApp) {
  const { askOtp, resetLimits, signIn } = openSessions(t)
  const key = () => ({ 'idempotency-key': randomUUID() })

  /** A person with rows in every table; the wallet is empty again, the policy is in force. */
  async function person(): Promise<PolicyScene> {
    const at = await issueToFamily(t, { dependants: ['Ravi', 'Mina'] }, { external_policy_id: `SG-${randomUUID()}` })
    const { platform, provider, user } = at
    const url = `/v1/users/${user.id}`
    const proof = { phone_country_code: '+91', phone_number: user.phone, id_proof: { number: randomUUID() } }
    await t.sql('update users set onboarded_at = null where user_id = $1', [user.id])
    await t.made('POST', '/v1/auth/token', { token: platform.token, body: proof, headers: key() })
    const upload = { token: provider.token, body: smallPdf('Uploaded'), headers: { 'content-type': 'application/pdf' } }
    await t.made('PUT', `${at.documents}/customer_information_sheet`, upload)
    const consultation = await t.consultation(platform, user, provider)
    const message = { body: { content: 'I have a fever', message_type: 'TEXT' } }
    await t.made('POST', `${url}/consultations/${consultation}/messages`, { token: user.token, body: message })
    await t.wallet(platform, user)
    for (const kind of ['credits', 'debits']) {
      const body = { amount: 500, reference: `${kind}-1`, description: 'For school books' }
      await t.made('POST', `${url}/wallet/${kind}`, { token: platform.token, body, headers: key() })
    }
    await t.sql(
      `insert into policy_corrections (user_id, policy_id, correction_id, actor, request_id, at, fields)
       select user_id, policy_id, 'cor_' || policy_id, 'user:' || user_id, 'req_1', now(), '{first_name}'
         from insurance_policies where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into account_numbers (external_account_id, account_provider_id, user_id, account_id)
       select 'EXT-' || account_id, '', user_id, account_id from accounts where user_id = $1 limit 1`,
      [user.id],
    )
    await t.sql(
      `insert into policy_assignees (user_id, policy_id, administrator_id, assigned_at)
       select user_id, policy_id, 'adm_of_the_desk', now() from insurance_policies where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into policy_endorsements (user_id, endorsement_id, policy_id, platform_id, benefit_provider_id, kind, on_day,
              persons_version, due_on, state, actor, created_at, last_modified_at)
       select user_id, 'edo_' || policy_id, policy_id, platform_id, benefit_provider_id, 'END', current_date, 0, current_date, 'REQUESTED',
              'user:' || user_id, now(), now()
         from insurance_policies where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into user_references (reference_hash, user_id, hash_key) select sha256(user_id::bytea), user_id, 'key' from users where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into card_checks (user_id, policy_id, member_id, day, network, audit_id)
       select user_id, policy_id, 'self', current_date, '203.0.113.0/24', 'aud_' || policy_id
         from insurance_policies where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into policy_ends (user_id, policy_id, end_id, actor, at)
       select user_id, policy_id, 'end_' || policy_id, 'user:' || user_id, now() from insurance_policies where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `with i as (
         insert into imports (import_id, platform_id, kind, check_only, state, file_hash, upload_id, row_count, chunk_count, sent_at, created_at, last_modified_at)
         select 'imp_' || user_id, platform_id, 'users', false, 'DONE', sha256(user_id::bytea), 'upl_' || user_id, 1, 1, now(), now(), now()
           from users where user_id = $1 returning import_id)
       insert into import_rows (import_id, row_number, position, outcome, user_id) select import_id, 2, 0, 'DONE', $1 from i`,
      [user.id],
    )
    await t.sql(
      `insert into comparison_differences (comparison_id, position, difference, user_id) select 'cmp_' || user_id, 0, 'birth', user_id
         from users where user_id = $1`,
      [user.id],
    )
    await t.made('PUT', '/v1/notices/2027-05/en', { token: platform.token, body: NOTICE })
    const consent = { ...CONSENT, purpose: 'insurance', proof: 'Screen 4' }
    await t.made('POST', `${url}/consents`, { token: user.token, body: consent })
    const asked = { kind: 'ACCESS', text: 'What do you know of me?' }
    await t.made('POST', `${url}/rights_requests`, { token: user.token, body: asked })
    await t.sql(
      `insert into deposit_entries (entry_id, sponsor_id, benefit_provider_id, kind, amount_paise, on_day, user_id, policy_id, actor, created_at)
       select 'dpe_' || user_id, 'spn_scene', 'bpr_scene', 'PREMIUM', -1, '2026-04-01', user_id, 'pol_scene', 'system:test', now()
         from users where user_id = $1`,
      [user.id],
    )
    await t.sql(
      `insert into came_of_age (user_id, first_id, person_id, created_at) values ($1, 'dep_1', 'dep_1', now())`,
      [user.id],
    )
    await t.sql('insert into wallet_questions (user_id, due_at) values ($1, now())', [user.id])
    await signIn(platform, user)
    await resetLimits()
    await askOtp({ platform_id: platform.id, phone_country_code: '+91', phone_number: user.phone })
    return at
  }

  const erase = ({ platform, user }: PolicyScene) =>
    t.made('DELETE', `/v1/users/${user.id}?end_policies=true`, { token: platform.token })

  /** A worker's run. */
  const run = () => runErasures({ ...t.deps, ...erasureDeps(t.deps) }, t.log)

  return { person, erase, run }
}

/** The tables that have rows of a user, with the number of rows. */
export async function rowsByTable(t: TestApp, userId: string): Promise<Record<string, number>> {
  const tables = await t.sql<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'banyan' and column_name = 'user_id' order by 1`,
  )
  const counts = tables.map(async ({ name }) => {
    const [row] = await t.sql<{ rows: number }>(`select count(*)::int as rows from ${name} where user_id = $1`, [
      userId,
    ])
    return [name, row?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}
