import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UserExport } from '../../src/domains/privacy/personal-data/records.ts'
import { ERASED } from '../../src/stored/erase.ts'
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
  'credentials',
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
  'statistics', // numbers of everybody together
  'sponsors', // companies, and people who are not users
  'webhook_endpoints',
  'workers',
]

/** The members of the export that show a field, or the reason why none does. */
const EXPORTED: Record<string, readonly string[] | string> = {
  profile: ['user', 'gender', 'title'],
  bank_details: ['bank_details'],
  phone: ['user'],
  id_proof: ['id_proof_last4'],
  one_time_codes: 'a hash for five minutes; the access log says that a code was requested',
  sessions: ['sessions'],
  stored_responses: 'for a day, copies of responses about what the other members show',
  documents: ['uploaded_documents', 'insurance_policies'],
  insurance_policies: ['insurance_policies'],
  dependants: ['dependants'],
  accounts: ['accounts'],
  consultations: ['consultations'],
  benefit_providers: ['benefit_providers'],
  wallet: ['wallet'],
  insurance_policy_numbers: ['insurance_policies'],
  wallet_transactions: ['wallet_transactions'],
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
      const isSealed = columns.some((column) => /^(sealed|reason|data_key)$/.test(column))
      const isErased = outcomes.some((outcome) => ['deleted', 'cleared', 'unreadable'].includes(outcome))
      if (isSealed) assert(isErased, `what is sealed in ${name} is gone or opens for nobody`)
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
