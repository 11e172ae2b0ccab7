import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { STORED_TABLES } from '../../../src/data-map/tables.ts'
import { madeStatements } from '../../../src/kernel/db/database.ts'
import { migrate } from '../../../src/kernel/db/migrate.ts'
import { tablesEverywhere } from '../../../src/kernel/cluster/placement.ts'
import { migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { JOBS } from '../../../src/record/jobs.ts'
import { levelsOf } from '../../cluster/levels.ts'
import { loadAllStatements } from '../../support/all-statements.ts'
import { openTestApp } from '../../support/app.ts'
import { isOnCluster } from '../../support/cluster.ts'

await loadAllStatements()
const t = await openTestApp({ own: true })

const ROLE = 'banyan_app'
const REFUSED = '42501' // insufficient privilege
const RIGHTS = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']

/** Histories, books and evidence: nobody who has taken over the service may make them say something else. */
const EVIDENCE = [
  'audit_batches',
  'audit_entries',
  'catalogue_status_changes',
  'deposit_entries',
  'events',
  'key_fingerprints',
  'ledger_entries',
  'ledger_transactions',
  'policy_snapshots',
  'retired_keys',
  'user_status_changes',
]

/** What only the version before does; a migration that contracts takes it away. */
const BEFORE: Record<string, readonly string[]> = { leases: ['insert', 'update', 'delete'] }

/** What the statements of the program do to each of its tables: to lock a row takes the right to update it. */
function neededRights(): Map<string, Set<string>> {
  const needed = new Map<string, Set<string>>()
  const add = (table: string, right: string) => needed.set(table, (needed.get(table) ?? new Set()).add(right))
  for (const { name, text } of madeStatements()) {
    if (/^$|^test|^sealed_/.test(name)) continue // the last are of a command that runs as the owner of the tables
    for (const { kind, target, relations, fixed, locks } of levelsOf(text)) {
      if (target !== undefined) add(target, kind)
      if (target !== undefined && JSON.stringify(fixed).includes('ONCONFLICT_UPDATE')) add(target, 'update')
      for (const { table } of relations) add(table, locks ? 'update' : 'select')
    }
  }
  return needed
}

type Table = { schema: string; name: string; columns: string[] }

let service: pg.Client
let tables: Table[]
const ours = () => tables.filter(({ schema }) => schema === 'banyan')

before(async () => {
  // As if an earlier version had been generous.
  await t.sql(`grant all on all tables in schema banyan, pgboss to ${ROLE}`)
  await t.sql(`grant all on all sequences in schema banyan to ${ROLE}`)
  await migrate({ ownerUrl: t.ownerUrl, appRole: ROLE, tables: STORED_TABLES, onApplied: () => {} })
  await migrateQueue(t.ownerUrl, JOBS, ROLE)
  service = new pg.Client({ connectionString: t.appUrl, options: '-c search_path=banyan' })
  await service.connect()
  tables = await t.sql<Table>(
    `select n.nspname as schema, c.relname as name,
            array(select quote_ident(a.attname) from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                     and a.attidentity = '' order by a.attnum)::text[] as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('banyan', 'pgboss') and c.relkind in ('r', 'p') order by 1, 2`,
  )
})
after(() => service.end())

/** What the database says to a statement of the service: the code of its error, or null. Nothing stays of what it lets through. */
async function outcomeOf(text: string): Promise<string | null> {
  await service.query('begin')
  try {
    await service.query(text)
    return null
  } catch (error) {
    return String((error as pg.DatabaseError).code)
  } finally {
    await service.query('rollback')
  }
}

/** Those of the statements that are not refused for want of a right. */
async function allowed(texts: string[]): Promise<string[]> {
  const found: string[] = []
  for (const text of texts) {
    const code = await outcomeOf(text)
    if (code !== REFUSED) found.push(`${text} (${code ?? 'done'})`)
  }
  return found
}

describe('the rights of the running service', () => {
  it('are, for each table, what its statements need, and no more', async () => {
    const needed = neededRights()
    const granted = await t.sql<{ name: string; rights: string[] }>(
      `select c.relname as name,
              array(select r from unnest($1::text[]) r
                     where has_table_privilege($2, c.oid, r)
                        or r in ('select', 'insert', 'update') and has_any_column_privilege($2, c.oid, r)) as rights
         from pg_class c where c.relnamespace = 'banyan'::regnamespace and c.relkind in ('r', 'p') order by 1`,
      [RIGHTS, ROLE],
    )
    assert(granted.length > 40)
    const lockedByCluster = isOnCluster() ? tablesEverywhere(STORED_TABLES.placements) : []
    for (const { name, rights } of granted) {
      const expected = new Set([
        'select',
        ...(needed.get(name) ?? []),
        ...(BEFORE[name] ?? []),
        ...(lockedByCluster.includes(name) ? ['update'] : []),
      ])
      assert.deepEqual(
        rights,
        RIGHTS.filter((right) => expected.has(right)),
        `${name}: see migrations/README.md`,
      )
    }
  })

  it('leave evidence as it is: of these tables no row is changed or deleted', async () => {
    const names = ours().map(({ name }) => name)
    assert.deepEqual(
      EVIDENCE.filter((table) => !names.includes(table)),
      [],
    )
    for (const table of EVIDENCE) {
      const { columns } = ours().find(({ name }) => name === table) ?? assert.fail()
      assert.deepEqual(await allowed(columns.map((column) => `update ${table} set ${column} = ${column}`)), [])
      assert.deepEqual(await allowed([`delete from ${table}`, `delete from ${table} where false`]), [])
    }
  })

  it('what is a history by its name is evidence too', () => {
    const histories = ours()
      .map(({ name }) => name)
      .filter((name) => /_(changes|snapshots|entries|batches|transactions)$/.test(name))
    assert.deepEqual(
      histories.filter((name) => !EVIDENCE.includes(name)),
      [],
    )
  })

  it('are not to change what a table is, for none of them', async () => {
    for (const { schema, name, columns } of tables) {
      const table = `${schema}.${name}`
      const statements = [
        `truncate ${table} cascade`,
        `drop table ${table} cascade`,
        `alter table ${table} add column more text`,
        `alter table ${table} rename to other`,
        `alter table ${table} disable trigger all`,
        `alter table ${table} owner to ${ROLE}`,
        `alter table ${table} set schema public`,
        `create index on ${table} (${columns[0]})`,
        `create trigger spy after insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
        `create policy all_of_it on ${table} using (true)`,
        `comment on table ${table} is 'mine'`,
      ]
      assert.deepEqual(await allowed(statements), [])
    }
  })

  it('are not to hand on rights, nor to take others', async () => {
    const rightsNow = () =>
      t.sql(`select oid::regclass::text, relacl::text from pg_class where relacl is not null order by 1`)
    const before = await rightsNow()
    // PostgreSQL warns, and grants nothing, where some right is held but not the right to pass it on.
    for (const { schema, name } of tables) {
      await service.query(`grant all on ${schema}.${name} to public`).catch(() => {})
      await service.query(`grant update, delete on ${schema}.${name} to ${ROLE}`).catch(() => {})
    }
    assert.deepEqual(await rightsNow(), before)
    const [owner] = await t.sql<{ name: string }>('select current_user as name')
    assert.deepEqual(
      await allowed([
        `set role ${owner?.name}`,
        'set role pg_read_all_data',
        `set session authorization ${owner?.name}`,
        `grant ${owner?.name} to ${ROLE}`,
        `grant pg_read_server_files to ${ROLE}`,
        `alter role ${ROLE} superuser`,
        `alter role ${ROLE} createrole`,
        `alter role ${ROLE} bypassrls`,
        `alter role ${owner?.name} password 'mine'`,
        'create role other',
        `alter default privileges for role ${owner?.name} grant all on tables to ${ROLE}`,
        `reassign owned by ${owner?.name} to ${ROLE}`,
        `drop owned by ${owner?.name}`,
      ]),
      [],
    )
  })

  it('own nothing and belong to nothing', async () => {
    assert.deepEqual(
      await t.sql(
        `select classid::regclass, objid from pg_shdepend d join pg_roles r on r.oid = d.refobjid
                                   where r.rolname = $1 and d.deptype = 'o'`,
        [ROLE],
      ),
      [],
    )
    assert.deepEqual(await t.sql(`select 1 from pg_auth_members where member = $1::regrole`, [ROLE]), [])
    const [role] = await t.sql(
      'select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = $1',
      [ROLE],
    )
    assert.deepEqual(Object.values(role ?? {}), [false, false, false, false, false])
  })

  it('are not to make anything: not even a temporary table, which would hide one of the service from a connection', async () => {
    const database = new URL(t.appUrl).pathname.slice(1)
    const body = `returns int language sql as 'select 1'`
    const schemas = ['banyan.', 'pgboss.', 'public.', 'pg_temp.', '']
    assert.deepEqual(
      await allowed([
        ...schemas.map((schema) => `create table ${schema}audit_entries_of_mine (id int)`),
        'create temporary table audit_entries (id int)',
        'create temporary view users as select 1 as user_id',
        ...schemas.map((schema) => `create function ${schema}mine() ${body}`),
        'create view banyan.mine as select 1 as one',
        'create sequence banyan.mine',
        'create type banyan.mine as (id int)',
        'create schema mine',
        `alter schema banyan owner to ${ROLE}`,
        'drop schema banyan cascade',
        'create extension pg_trgm',
        'create extension dblink',
        'create publication mine for all tables',
        'create event trigger mine on ddl_command_start execute function suppress_redundant_updates_trigger()',
        `alter database ${database} set search_path = public`,
        `alter database ${database} owner to ${ROLE}`,
      ]),
      [],
    )
    for (const text of ['create database mine', `drop database ${database}`, `alter system set fsync = off`]) {
      await assert.rejects(service.query(text), { code: REFUSED }, text) // these run in no transaction
    }
  })

  it('are not to reach the machine, passwords, or what the server says of others', async () => {
    assert.deepEqual(
      await allowed([
        `copy users to program 'cat'`,
        `copy users from program 'cat /etc/passwd'`,
        `copy users to '/tmp/users'`,
        `copy files_to_delete from '/etc/passwd'`,
        `select pg_read_file('/etc/passwd')`,
        `select pg_ls_dir('/')`,
        `select lo_import('/etc/passwd')`,
        `select lo_export(1, '/tmp/mine')`,
        'select * from pg_authid',
        'select * from pg_shadow',
        'select * from pg_hba_file_rules',
        'select * from pg_statistic',
        'set log_statement = none',
        'set session_replication_role = replica',
        `select pg_reload_conf()`,
        `select pg_switch_wal()`,
        `select pg_create_physical_replication_slot('mine')`,
      ]),
      [],
    )
  })

  it('are not to say which migrations have been applied', async () => {
    assert.deepEqual(
      await allowed([
        `insert into migrations (name, checksum) values ('9999_mine.sql', '')`,
        `update migrations set checksum = ''`,
        'delete from migrations',
      ]),
      [],
    )
  })

  it('are not to write what the owner of the job queue runs when it migrates: commands, and names of tables', async () => {
    const command = `('mine', 1, 'job', 'grant all on banyan.audit_entries to ${ROLE}')`
    assert.deepEqual(
      await allowed([
        `insert into pgboss.bam (name, version, table_name, command) values ${command}`,
        `update pgboss.bam set command = 'drop table banyan.audit_entries'`,
        `update pgboss.queue set table_name = 'job; drop table banyan.audit_entries; --'`,
        `update pgboss.queue set name = 'mine'`,
        `delete from pgboss.queue`,
        `update pgboss.version set version = 1`,
        'delete from pgboss.version',
        `insert into pgboss.schedule (name, cron) values ('send-otp', '* * * * *')`,
      ]),
      [],
    )
  })

  it('to run functions are those of the service alone, who else there may be in the database', async () => {
    const open = await t.sql(
      `select p.oid::regprocedure::text as name from pg_proc p
        where p.pronamespace = 'banyan'::regnamespace
          and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
    )
    assert.deepEqual(open, [])
  })

  it('are enough to notice: a right too many is found', async () => {
    await t.sql(`grant delete on audit_entries to ${ROLE}`)
    assert.deepEqual(await allowed(['delete from audit_entries']), ['delete from audit_entries (done)'])
    await t.sql(`revoke delete on audit_entries from ${ROLE}`)
  })
})
