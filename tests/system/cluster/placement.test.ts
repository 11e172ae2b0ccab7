import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSync } from 'libpg-query'
import { type ForeignKey, placementSteps } from '../../../src/kernel/cluster/placement.ts'
import { PLACEMENTS } from '../../../src/data-map/tables.ts'
import { statementsIn } from '../../../src/kernel/db/migrate.ts'
import { pathsBelow, readText } from '../../support/sources.ts'
import { all } from '../../cluster/levels.ts'

type Key = { table: string; name: string; columns: string[] }
type Reference = Key & { to: string; toColumns: string[] }

const names = (list: unknown): string[] => all(list, 'String').map(({ sval }) => String(sval))
const { stmts = [] } = parseSync(readText('schema.sql'))
const tables = all(stmts, 'CreateStmt').map(({ relation }) => (relation as { relname: string }).relname)

/** Primary and unique keys, of tables and as indexes. */
const uniqueKeys: Key[] = [
  ...all(stmts, 'CreateStmt').flatMap(({ relation, tableElts }) =>
    all(tableElts, 'Constraint')
      .filter(({ contype }) => contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_UNIQUE')
      .map(({ conname, keys }) => ({
        table: (relation as { relname: string }).relname,
        name: String(conname),
        columns: names(keys),
      })),
  ),
  ...all(stmts, 'IndexStmt')
    .filter(({ unique }) => unique === true)
    .map(({ relation, idxname, indexParams }) => ({
      table: (relation as { relname: string }).relname,
      name: String(idxname),
      columns: all(indexParams, 'IndexElem').map(({ name }) => String(name)),
    })),
]

const references: Reference[] = all(stmts, 'AlterTableStmt').flatMap(({ relation, cmds }) =>
  all(cmds, 'Constraint')
    .filter(({ contype }) => contype === 'CONSTR_FOREIGN')
    .map(({ conname, pktable, fk_attrs, pk_attrs }) => ({
      table: (relation as { relname: string }).relname,
      name: String(conname),
      columns: names(fk_attrs),
      to: (pktable as { relname: string }).relname,
      toColumns: names(pk_attrs),
    })),
)

describe('the placement list', () => {
  it('names every table of the schema and no other', () => {
    const known = [...tables, 'migrations']
    assert.deepEqual([...PLACEMENTS.keys()].toSorted(), known.toSorted())
  })

  it('shards users’ tables by user, and gives a reason for every other', () => {
    const withUser = all(stmts, 'CreateStmt')
      .filter(({ tableElts }) => all(tableElts, 'ColumnDef').some(({ colname }) => colname === 'user_id'))
      .map(({ relation }) => (relation as { relname: string }).relname)
    const elsewhere = withUser.filter((table) => PLACEMENTS.get(table)?.kind !== 'sharded')
    assert.deepEqual(elsewhere, [
      'audit_entries',
      'card_checks',
      'comparison_differences',
      'deposit_entries',
      'import_rows',
      'otp_challenges',
    ])
  })

  it('includes the sharding column in each unique key of a table', () => {
    assert(uniqueKeys.length > 40, 'keys are found at all')
    const without = uniqueKeys.filter(({ table, columns }) => {
      const placement = PLACEMENTS.get(table)
      return placement?.kind === 'sharded' && !columns.includes(placement.author)
    })
    assert.deepEqual(without, [])
  })

  it('has no foreign key that a shard could not check by itself', () => {
    assert(references.length > 20, 'foreign keys are found at all')
    const beyond = references.filter(({ table, to, columns, toColumns }) => {
      const [from, target] = [PLACEMENTS.get(table), PLACEMENTS.get(to)]
      if (from?.kind !== 'sharded') return target?.kind !== from?.kind
      if (target?.kind === 'everywhere') return false
      const isBeside = target?.kind === 'sharded' && target.group === from.group
      return !isBeside || toColumns[columns.indexOf(from.author)] !== target.author
    })
    assert.deepEqual(beyond, [])
  })
})

describe('placing the tables', () => {
  const key = (table: string, to: string): ForeignKey => ({
    name: `${table}_${to}_fkey`,
    table,
    references: to,
    definition: `FOREIGN KEY (x) REFERENCES ${to}(x)`,
  })
  const all = new Set([...PLACEMENTS].filter(([, { kind }]) => kind !== 'coordinator').map(([table]) => table))
  const without = (...tables: string[]) => new Set([...all].filter((table) => !tables.includes(table)))

  it('does nothing when all are placed', () => {
    assert.deepEqual(placementSteps(PLACEMENTS, all, [key('users', 'platforms')]), [])
  })

  it('colocates a new table with the users, dropping its foreign keys and restoring them afterwards', () => {
    assert.deepEqual(
      placementSteps(PLACEMENTS, without('wallets'), [key('wallets', 'users'), key('users', 'platforms')]),
      [
        'alter table wallets drop constraint wallets_users_fkey',
        "select create_distributed_table('wallets', 'user_id', colocate_with => 'users')",
        "select truncate_local_data_after_distributing_table('wallets')",
        'alter table wallets add constraint wallets_users_fkey FOREIGN KEY (x) REFERENCES users(x)',
      ],
    )
  })

  it('drops foreign keys that reference a table while it is placed', () => {
    const steps = placementSteps(PLACEMENTS, without('users'), [key('wallets', 'users')])
    assert.equal(steps[0], 'alter table wallets drop constraint wallets_users_fkey')
    assert.equal(
      steps.at(-1),
      'alter table wallets add constraint wallets_users_fkey FOREIGN KEY (x) REFERENCES users(x)',
    )
  })

  it('shards a lookup by its own column, colocated with nothing, and replicates the catalogue everywhere', () => {
    const [everywhere, lookUp] = placementSteps(PLACEMENTS, without('user_phones', 'platforms'), [])
    assert.equal(everywhere, "select create_reference_table('platforms')")
    assert.equal(lookUp, "select create_distributed_table('user_phones', 'phone_hash', colocate_with => 'none')")
  })

  it('leaves tables of the coordinator in place', () => {
    const steps = placementSteps(PLACEMENTS, new Set(), []).join('\n')
    for (const [table, { kind }] of PLACEMENTS) {
      assert.equal(steps.includes(`'${table}'`), kind !== 'coordinator', table)
    }
  })
})

describe('a migration', () => {
  const files = pathsBelow('migrations').filter((path) => path.endsWith('.sql'))

  it('is sent one statement at a time: as many as the parser of PostgreSQL counts', () => {
    assert(files.length > 20, 'migrations are found at all')
    for (const path of files) {
      const sql = readText(path)
      const texts = statementsIn(sql)
      assert.deepEqual(
        texts.map((text) => parseSync(text).stmts?.length),
        texts.map(() => 1),
        path,
      )
      assert.equal(texts.length, parseSync(sql).stmts?.length, path)
    }
  })

  it('is not split at a semicolon within a string, a comment or a function body', () => {
    assert.deepEqual(statementsIn(`a ';' b; -- c;\nd "e;" $$f;g$$; $h$;$h$`), [`a ';' b`, `d "e;" $$f;g$$`, '$h$;$h$'])
  })
})
