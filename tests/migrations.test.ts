import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSync } from 'libpg-query'
import { isOutsideTransaction, readMigrations } from '../src/kernel/db/migrate.ts'
import { all } from './cluster/levels.ts'

/** The ones before rename and drop; no other version ran alongside them. */
const FIRST = '0027'

/** Migrations that take something away or forbid something, and why that does not harm the version before. */
const CONTRACTIONS: Record<string, string> = {
  '0031_first_versions_unindexed.sql': 'the index forbids what the constraint of the same name did',
  '0037_lists_across_users.sql':
    'the new constraints allow more; the version before writes nothing new, and rejects a session of a role that it does not know',
  '0040_looks_of_benefit_providers.sql': 'the comment allows more: to insert and update, where it was to insert',
  '0041_histories_by_record.sql': 'no statement names the key, which only forbade what random ids do not do',
  '0060_cover_in_grace.sql': 'the check is of the new column, which the version before leaves at its default',
  '0078_deposit_comparisons.sql': 'the new constraint allows more, in a table that the version before does not know',
}

type Fields = Record<string, unknown>

const HARMLESS_STATEMENTS = ['CreateStmt', 'CreateFunctionStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'SelectStmt']
const HARMLESS_CHANGES = [
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_SetStatistics',
  'AT_SetRelOptions',
  'AT_ValidateConstraint',
]
/** Changes of tables that stay small: reading all rows takes no time. */
const FEW_ROWS = /^alter table (administrators|administrator_sessions) /
const CONSTRAINTS_THAT_FILL = ['CONSTR_DEFAULT', 'CONSTR_GENERATED', 'CONSTR_IDENTITY']

/** The words of each statement on tables of before for which this is true. */
function statementsOf(sql: string, isFound: (kind: string, fields: Fields) => boolean): string[] {
  const created = new Set<unknown>()
  return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    const [[kind, fields] = []] = Object.entries(stmt ?? {}) as [string, Fields][]
    assert(kind !== undefined && fields !== undefined)
    const { relname } = (fields['relation'] ?? {}) as Fields
    if (kind === 'CreateStmt') created.add(relname)
    const isNew = created.has(relname ?? all(fields['object'], 'String')[0]?.['sval'])
    const words = sql.slice(from, length === undefined ? undefined : from + length).replaceAll(/--.*/g, '')
    return !isNew && isFound(kind, fields) ? [words.replaceAll(/\s+/g, ' ').trim()] : []
  })
}

/** The words of each statement that can fail or mislead a program of before. */
const breakagesIn = (sql: string): string[] => statementsOf(sql, (kind, fields) => !isHarmless(kind, fields))

/** The words of each statement that stops the writers of its table while it reads all rows. */
const stopsIn = (sql: string): string[] =>
  statementsOf(sql, (kind, fields) => {
    if (kind === 'IndexStmt') return fields['concurrent'] !== true
    const isChecked = all(fields, 'Constraint').some(
      ({ contype, skip_validation: isNotValid }) => contype === 'CONSTR_CHECK' && isNotValid !== true,
    )
    const isValidated = all(fields, 'AlterTableCmd').some(({ subtype }) => subtype === 'AT_ValidateConstraint')
    return isChecked || (isValidated && !isOutsideTransaction(sql))
  })

function isHarmless(kind: string, fields: Fields): boolean {
  switch (kind) {
    case 'IndexStmt':
      return fields['unique'] !== true
    case 'DropStmt':
      return fields['removeType'] === 'OBJECT_INDEX'
    case 'RenameStmt':
      return fields['renameType'] === 'OBJECT_INDEX'
    case 'CommentStmt': // that of a table says what the service may do to its rows
      return fields['objtype'] !== 'OBJECT_TABLE'
    case 'AlterTableStmt':
      return all(fields, 'AlterTableCmd').every(isHarmlessChange)
    default:
      return HARMLESS_STATEMENTS.includes(kind)
  }
}

function isHarmlessChange(change: Fields): boolean {
  const subtype = String(change['subtype'])
  if (subtype !== 'AT_AddColumn') return HARMLESS_CHANGES.includes(subtype)
  const kinds = all(change, 'Constraint').map(({ contype }) => String(contype))
  const isFilled = kinds.some((kind) => CONSTRAINTS_THAT_FILL.includes(kind))
  return kinds.every((kind) => CONSTRAINTS_THAT_FILL.includes(kind) || (kind === 'CONSTR_NOTNULL' && isFilled))
}

describe('a migration', () => {
  it('makes an index or a check of a table that was there before without stopping its writers', () => {
    for (const { name, sql } of readMigrations().filter((migration) => migration.name > '0036')) {
      const stops = stopsIn(sql).filter((words) => !FEW_ROWS.test(words))
      assert.deepEqual(stops, [], name)
    }
  })

  for (const sql of [
    'create index users_height on users (height)',
    'alter table users add column height int check (height > 0)',
    'alter table users add constraint height check (height > 0)',
    'alter table users validate constraint height',
  ]) {
    it(`stops the writers: ${sql}`, () => assert.deepEqual(stopsIn(sql), [sql]))
  }

  for (const sql of [
    'create index concurrently users_height on users (height)',
    'alter table users add constraint height check (height > 0) not valid',
    '-- outside a transaction\nalter table users validate constraint height',
    'create table heights (height int check (height > 0)); create index one on heights (height)',
  ]) {
    it(`does not stop the writers: ${sql}`, () => assert.deepEqual(stopsIn(sql), []))
  }

  it('takes nothing away from the version before it, which runs alongside it during an upgrade', () => {
    const migrations = readMigrations().filter(({ name }) => name >= FIRST)
    assert(migrations.length >= 4, 'migrations are found at all')
    const found = migrations
      .map(({ name, sql }) => ({ name, breakages: breakagesIn(sql) }))
      .filter(({ breakages }) => breakages.length > 0)
    assert.deepEqual(
      found.filter(({ name }) => CONTRACTIONS[name] === undefined),
      [],
      'what takes something away belongs in migrations/contract (migrations/README.md); what harms nobody, in CONTRACTIONS',
    )
    assert.deepEqual(
      found.map(({ name }) => name),
      Object.keys(CONTRACTIONS),
      'no reason is left of a migration that needs none',
    )
  })

  for (const sql of [
    'drop table users',
    'drop function delete_old_events(text[], int)',
    'alter table users drop column sealed',
    'alter table users rename column sealed to profile',
    'alter table users rename to people',
    'alter table users add column height int not null',
    'alter table users add column height int check (height > 0)',
    'alter table users alter column height set not null',
    'alter table users alter column height type bigint',
    'alter table users add constraint height check (height > 0)',
    'alter table users drop constraint users_pkey',
    'create unique index users_height on users (height)',
    'create trigger watch before insert on users execute function watch()',
    `comment on table users is 'read-only'`,
  ]) {
    it(`must not, on its own: ${sql}`, () => assert.deepEqual(breakagesIn(sql), [sql]))
  }

  for (const sql of [
    'alter table users add column height int',
    'alter table users add column height int not null default 0',
    'alter table users alter column height set default 1',
    'create index users_height on users (height)',
    'drop index users_height',
    'create or replace function height() returns int language sql as $$ select 1 $$',
    `create table heights (height int not null); create unique index one on heights (height); comment on table heights is 'append-only'`,
  ]) {
    it(`may: ${sql}`, () => assert.deepEqual(breakagesIn(sql), []))
  }
})
