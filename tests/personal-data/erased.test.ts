import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ERASE_USER } from '../../src/domains/people/users/erasure-store.ts'
import { UserExport } from '../../src/domains/privacy/personal-data/records.ts'
import { ERASED } from '../../src/data-map/erase.ts'
import { readText } from '../support/sources.ts'

/** Tables of companies, administrators and the program itself, without personal data. */
const NOT_PERSONAL = [
  'account_providers',
  'administrator_sessions',
  'administrators',
  'audit_batches',
  'audit_writes', // ids of entries
  'benefit_providers',
  'benefits',
  'catalogue_status_changes',
  'comparisons',
  'consent_notices', // what platforms say to everybody
  'credentials',
  'deposits', // what companies have paid in
  'erasures', // tombstones: ids and days
  'files_to_delete',
  'key_fingerprints',
  'leases',
  'operator_events',
  'platform_access',
  'platforms',
  'processes', // what runs
  'program_versions',
  'rate_limit_uses', // of the last minutes
  'relays',
  'retired_keys',
  'revocations', // of the last two hours
  'wallet_sweeps', // how far a worker is
  'statistics', // numbers of everybody together
  'sponsors', // companies, and people who are not users
  'webhook_endpoints',
  'workers',
]

/** What stays in the rows that an erasure keeps: ids, states, days, amounts and what a term retains; never a text about the person. */
const STAYS: Record<string, string> = {
  users: 'user_id platform_id revision cover_revision session_epoch created_at last_modified_at',
  insurance_policies:
    'user_id policy_id platform_id benefit_id benefit_provider_id plan_code status start_date end_date covered_from terms_from ' +
    'term_months renewal_window_days grace_days grace_cover grace_until next_move_on notices_from announced_due_on issue begins_cover ends_on ends_from persons_version persons_seen currency premium_annual_paise ' +
    'premium_daily_paise premium_sponsor_paise revision created_at last_modified_at status_since is_sent_back',
  wallets:
    'user_id platform_id partner_wallet_id wallet_status wallet_status_partner operator_status operator_sequence may_be_held ' +
    'tries queued_at balance_paise last_position revision created_at last_modified_at',
  policy_snapshots: 'user_id policy_id issue at',
  policy_ends: 'user_id policy_id end_id ends_on code refund_days refund_estimate_paise amount_paise actor at',
  ledger_transactions:
    'user_id transaction_id transaction_type amount_paise balance_after_paise position reference refund_of actor created_at',
  deposit_entries:
    'entry_id sponsor_id benefit_provider_id kind amount_paise on_day reference user_id policy_id endorsement_id actor created_at',
  ledger_entries: 'user_id transaction_id ledger_account amount_paise',
  audit_entries: 'audit_id xid at actor operation action subject user_id request_id purpose credential_id',
  audit_archives: 'archive_id first_number last_number data_key archived_at',
  user_status_changes: 'user_id entity_id change_id from_status to_status actor request_id at',
  policy_corrections: 'user_id policy_id correction_id actor request_id at fields',
}

/** The members of the export that show a field, or the reason why none does. */
const EXPORTED: Record<string, readonly string[] | string> = {
  profile: ['user', 'gender', 'title'],
  bank_details: ['bank_details'],
  phone: ['user'],
  id_proof: ['id_proof_last4'],
  reference: ['employee_number'],
  one_time_codes: 'a hash for five minutes; the access log says that a code was requested',
  sessions: ['sessions'],
  stored_responses: 'for a day, copies of responses about what the other members show',
  documents: ['uploaded_documents', 'insurance_policies'],
  card_checks: ['access_log'],
  insurance_policies: ['insurance_policies', 'insurance_policy_ends'],
  policy_assignees: 'ids of people of the benefit provider, who are not the person; the access log has what they did',
  policy_endorsements: ['endorsements'],
  dependants: ['dependants'],
  accounts: ['accounts'],
  consultations: ['consultations'],
  consents: ['consents'],
  rights_requests: ['rights_requests'],
  benefit_providers: ['benefit_providers'],
  wallet: ['wallet'],
  insurance_policy_numbers: ['insurance_policies'],
  wallet_transactions: ['wallet_transactions'],
  comparisons: 'only that a file and the record differ, and in which column; nothing of a person',
  access_log: ['access_log', 'status_changes'],
  events: 'for 30 days, ids and states of what the other members show',
}

/** Members about the document itself, and about an erasure that has not happened. */
const NO_FIELD = ['schema', 'exported_at', 'scheduled_erasure']

/** Everything in the schema that may be personal: tables with their columns, and those that are append-only. */
const SCHEMA = readText('schema.sql')
const TABLES = [...SCHEMA.matchAll(/^create table (\w+) \(\n([^;]*)\);/gm)].map(([, name = '', columns = '']) => ({
  name,
  columns: [...columns.matchAll(/^ {2}(\w+) +\w/gm)]
    .map(([, column = '']) => column)
    .filter((word) => word !== 'constraint'),
}))
const APPEND_ONLY = [...SCHEMA.matchAll(/^comment on table (\w+) is 'append-only'/gm)].map(([, name]) => name)

const outcomesOf = (table: string) => ERASED.flatMap(({ tables }) => tables[table] ?? [])

describe('the list of what an erasure does', () => {
  it('covers every table, or states that it holds no personal data', () => {
    assert(TABLES.length > 40, 'tables are found at all')
    const named = [...new Set([...NOT_PERSONAL, ...ERASED.flatMap(({ tables }) => Object.keys(tables))])]
    assert.deepEqual(named.toSorted(), TABLES.map(({ name }) => name).toSorted())
    assert.deepEqual(
      NOT_PERSONAL.filter((table) => outcomesOf(table).length > 0),
      [],
    )
  })

  it('has an outcome for every table that has users and every sealed column of theirs', () => {
    const ofUsers = TABLES.filter(({ name, columns }) => columns.includes('user_id') && name !== 'erasures')
    assert(ofUsers.length > 20)
    for (const { name, columns } of ofUsers) {
      const outcomes = outcomesOf(name)
      assert(outcomes.length > 0, `${name} has an outcome`)
      const isSealed = columns.some((column) => /^(sealed(_\w+)?|reason|data_key)$/.test(column))
      const isErased = outcomes.some((outcome) => ['deleted', 'cleared', 'unreadable'].includes(outcome))
      if (isSealed) assert(isErased, `what is sealed in ${name} is gone or opens for nobody`)
    }
  })

  it('clears every column of a row that it keeps, or states that the column stays', () => {
    const texts = [ERASE_USER, ...ERASED.flatMap(({ step, end }) => [step?.text ?? '', end?.text ?? ''])]
    const keeping = TABLES.filter(({ name }) =>
      outcomesOf(name).some((outcome) => ['cleared', 'kept', 'unreadable'].includes(outcome)),
    )
    assert.deepEqual(keeping.map(({ name }) => name).toSorted(), Object.keys(STAYS).toSorted())
    for (const { name, columns } of keeping) {
      const staying = STAYS[name]?.split(' ') ?? []
      const isSet = (column: string) =>
        texts.some((text) => new RegExp(`^update ${name}\\s[^;]*(?:set|,)\\s+${column} = `).test(text))
      const isSealed = (column: string) =>
        outcomesOf(name).includes('unreadable') && /^(sealed(_\w+)?|reason)$/.test(column)
      const gone = columns.filter((column) => isSet(column) || isSealed(column))
      const unsaid = columns.filter((column) => !staying.includes(column) && !gone.includes(column))
      assert.deepEqual(
        unsaid,
        [],
        `columns of ${name} that neither stay nor are cleared: clear them, or name them in STAYS`,
      )
      assert.deepEqual(
        staying.filter((column) => !columns.includes(column)),
        [],
        `${name} has them`,
      )
    }
  })

  it('deletes and clears only what may be changed, and makes unreadable only what may not', () => {
    for (const { tables } of ERASED) {
      for (const [table, outcome] of Object.entries(tables)) {
        if (outcome === 'deleted' || outcome === 'cleared') assert(!APPEND_ONLY.includes(table), table)
        if (outcome === 'unreadable') assert(APPEND_ONLY.includes(table), table)
      }
    }
  })

  it('names each field once', () => {
    const fields = ERASED.map(({ field }) => field)
    assert.equal(new Set(fields).size, fields.length)
  })
})

describe('the export', () => {
  it('shows every field that an erasure names, or there is a reason why not', () => {
    assert.deepEqual(Object.keys(EXPORTED).toSorted(), ERASED.map(({ field }) => field).toSorted())
    const shown = Object.values(EXPORTED).flatMap((members) => (typeof members === 'string' ? [] : members))
    const members = Object.keys(UserExport.properties)
    assert.deepEqual([...new Set([...shown, ...NO_FIELD])].toSorted(), members.toSorted())
    for (const reason of Object.values(EXPORTED)) assert(reason.length > 0)
  })
})
