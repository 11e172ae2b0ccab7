import assert from 'node:assert/strict'
import { policyId as policyIdOf, userId as userIdFrom } from '../../client/src/index.ts'
import { copyRows } from '../../bench/copy-rows.ts'
import { newcomerRows, type Rows, userIdOf, userInputOf } from '../../bench/families.ts'
import { withClient } from '../../bench/fill.ts'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import { inTransaction } from '../../src/kernel/db/in-transaction.ts'
import { newId } from '../../src/kernel/id.ts'
import { findKeyTexts, parseKeyTexts, type KeyTexts } from '../../src/settings/keys.ts'
import type { Workspace } from '../support/server.ts'

const AT_A_TIME = 2_000
const FIRST_AT = Date.parse('2026-04-01T00:00:00Z')
const SECOND_MS = 1_000
const START = '2026-04-01'
const END = '2027-03-31'
const STATES = ['PENDING', 'VERIFICATION', 'APPROVED'] as const

/** In the order of their foreign keys. */
const TABLES = [
  'users',
  'user_phones',
  'user_id_proofs',
  'user_providers',
  'insurance_policies',
  'wallets',
  'wallet_ids',
  'accounts',
  'consultations',
  'events',
  'audit_entries',
]

export type Partners = { platformId: string; benefitProviderId: string; benefitId: string; planCode: string }

/** Somebody with one record of each kind, whose work began that many seconds after that of the first. */
export type Waiting = ReturnType<typeof waitingOf>

function waitingOf(index: number) {
  const { phone_number, id_proof } = userInputOf(index)
  return {
    userId: userIdFrom(userIdOf(index)),
    phone: phone_number,
    idProof: id_proof.number,
    policyId: policyIdOf(newId('pol')),
    walletId: newId('wal'),
    accountId: newId('acc'),
    consultationId: newId('con'),
    at: new Date(FIRST_AT + index * SECOND_MS).toISOString(),
  }
}

/**
 * Adds so many people by `copy`, which takes seconds where the API would take an hour: sealed as the program seals them,
 * each with an application, a failed wallet, an account and a consultation that waits, an event and an entry of the audit. The first has
 * waited longest.
 */
export async function addManyPeople({ environment, dataDir }: Workspace, partners: Partners, count: number) {
  const keys = parseKeyTexts(findKeyTexts(dataDir) as KeyTexts)
  assert(!Array.isArray(keys), 'the keys of the installation are read')
  const vault = createVault(keys)
  const { platformId, benefitProviderId } = partners
  const catalogue = { platformId, benefitProviderId, benefitIds: [], platformBasic: '', platformToken: '' }
  const people = Array.from({ length: count }, (_, index) => waitingOf(index))
  await withClient(environment['MIGRATION_DATABASE_URL'] ?? null, async (client) => {
    for (let first = 0; first < count; first += AT_A_TIME) {
      const rows: Rows = {}
      for (const [offset, person] of people.slice(first, first + AT_A_TIME).entries()) {
        const own = {
          ...newcomerRows(vault, catalogue, first + offset),
          ...recordsOf(person, partners, first + offset),
        }
        for (const [table, some] of Object.entries(own)) (rows[table] ??= []).push(...some)
      }
      await inTransaction(client, async () => {
        for (const table of TABLES) await copyRows(client, table, rows[table] ?? [])
      })
    }
    await client.query('analyze')
  })
  return people
}

function recordsOf(
  person: Waiting,
  { platformId, benefitProviderId, benefitId, planCode }: Partners,
  index: number,
): Rows {
  const { userId: user_id, walletId: partner_wallet_id, at } = person
  const ofPlatform = { user_id, platform_id: platformId, created_at: at, last_modified_at: at }
  const policy = {
    ...ofPlatform,
    policy_id: person.policyId,
    benefit_id: benefitId,
    benefit_provider_id: benefitProviderId,
    plan_code: planCode,
    status: STATES[index % STATES.length],
    status_since: at,
    dependant_ids: [],
    start_date: START,
    end_date: END,
    term_months: 12,
    renewal_window_days: 30,
    grace_days: 15,
    currency: 'INR',
    premium_annual_paise: 1_200_000,
    premium_daily_paise: 3_300,
    premium_sponsor_paise: 600_000,
  }
  const wallet = {
    ...ofPlatform,
    partner_wallet_id,
    wallet_status: 'FAILED',
    wallet_status_partner: 'UNKNOWN',
    queued_at: at,
  }
  const account = {
    ...ofPlatform,
    account_id: person.accountId,
    account_type: 'SAVINGS',
    status: 'INACTIVE',
    has_number: false,
  }
  const consultation = {
    ...ofPlatform,
    consultation_id: person.consultationId,
    benefit_provider_id: benefitProviderId,
    status: 'OPEN',
    slot: 1,
  }
  const now = new Date().toISOString() // events are kept for 30 days
  const event = {
    event_id: newId('evt'),
    type: 'user.created',
    platform_id: platformId,
    subject: user_id,
    data: { user_id },
    occurred_at: now,
  }
  const entry = {
    audit_id: newId('aud'),
    at: now,
    actor: 'viewer:command-line',
    operation: 'readUser',
    action: 'read',
    subject: user_id,
    user_id,
    request_id: 'req_of_a_test',
  }
  return {
    events: [event],
    audit_entries: [entry],
    user_providers: [{ user_id, benefit_provider_id: benefitProviderId }],
    insurance_policies: [policy],
    wallets: [wallet],
    wallet_ids: [{ partner_wallet_id, user_id }],
    accounts: [account],
    consultations: [consultation],
  }
}
