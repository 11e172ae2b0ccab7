import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ERASED } from '../../src/erase.ts'
import { readText } from '../support/sources.ts'

/** Tables of companies, administrators and the program itself, without personal data. */
const NOT_PERSONAL = [
  'account_providers',
  'administrator_sessions',
  'administrators',
  'audit_batches',
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
  'rate_limit_uses', // of the last minutes
  'relays',
  'retired_keys',
  'revocations', // of the last two hours
  'sponsors', // companies, and people who are not users
  'webhook_endpoints',
  'workers',
]

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
