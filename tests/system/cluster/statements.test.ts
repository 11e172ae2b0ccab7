import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Node } from 'libpg-query'
import { madeStatements, type Statement } from '../../../src/kernel/db/database.ts'
import { type Placement } from '../../../src/kernel/cluster/placement.ts'
import { PLACEMENTS } from '../../../src/data-map/tables.ts'
import { loadAllStatements } from '../../support/all-statements.ts'
import { openTestApp } from '../../support/app.ts'
import { EXCEPTIONS, type Rule, WALKS_ALL } from '../../cluster/exceptions.ts'
import { all, type Level, levelsOf } from '../../cluster/levels.ts'

await loadAllStatements()
const t = await openTestApp()
const isOfTests = ({ name }: Statement) => name === '' || name.startsWith('test')
const statements = madeStatements().filter((one) => !isOfTests(one))
/** Those for many calls are only sent to a single PostgreSQL. */
const forOne = statements.filter(({ name }) => !name.endsWith('_many') && !name.endsWith('_keyed_many'))

/** Functions whose result depends on the time or on a setting. */
const changing = new Set(
  (await t.sql<{ name: string }>(`select distinct proname as name from pg_proc where provolatile <> 'i'`)).map(
    ({ name }) => name,
  ),
)

/** The job queue has a schema of its own. */
const QUEUE: Placement = { kind: 'coordinator', because: 'the package keeps it on one node' }

const placementOf = (table: string) => {
  const placement = table.startsWith('pgboss.') ? QUEUE : PLACEMENTS.get(table)
  assert(placement, `the table ${table} has a place`)
  return placement
}

/** The place of its rows: the group of a sharded table, or the coordinator; undefined for tables on every node. */
function groupOf(table: string): string | undefined {
  const placement = placementOf(table)
  if (placement.kind === 'sharded') return placement.group
  return placement.kind === 'coordinator' ? 'coordinator' : undefined
}

const isValue = (node: Node | undefined): boolean =>
  node !== undefined && ('ParamRef' in node || 'A_Const' in node || ('TypeCast' in node && isValue(node.TypeCast.arg)))

/** True when the condition fixes this column to a value known in advance; for a read it may be one of a list. */
function names(condition: Node, { alias, by, isRead }: { alias: string; by: string; isRead: boolean }): boolean {
  if (!('A_Expr' in condition)) return false
  const { kind, name, lexpr, rexpr } = condition.A_Expr
  if ((kind !== 'AEXPR_OP' && !(kind === 'AEXPR_OP_ANY' && isRead)) || all(name, 'String')[0]?.['sval'] !== '=')
    return false
  const isColumn = (node: Node | undefined) => {
    if (!node || !('ColumnRef' in node)) return false
    const [column, of = alias] = all(node.ColumnRef.fields, 'String')
      .map(({ sval }) => sval)
      .toReversed()
    return column === by && of === alias
  }
  return (isColumn(lexpr) && isValue(rexpr)) || (isColumn(rexpr) && isValue(lexpr))
}

/** The sharded tables of a level whose shard key is not fixed there. */
const withoutShard = ({ kind, locks, relations, conditions }: Level): string[] =>
  relations
    .filter(({ table, alias }) => {
      const placement = placementOf(table)
      const isRead = kind === 'select' && !locks
      return (
        placement.kind === 'sharded' && !conditions.some((one) => names(one, { alias, by: placement.author, isRead }))
      )
    })
    .map(({ table }) => table)

const tablesOf = ({ target, relations }: Level) => [...(target ? [target] : []), ...relations.map(({ table }) => table)]

const functionsIn = (nodes: unknown): string[] =>
  [...all(nodes, 'FuncCall')].map(({ funcname }) => String(all(funcname, 'String').at(-1)?.['sval']))

const isCopied = (table: string) => placementOf(table).kind === 'everywhere'

/** True for a lock that the shard of a user takes, on its copy of a table that every node has. */
const isOnShard = ({ relations, outer }: Level): boolean =>
  relations.some(({ table }) => placementOf(table).kind === 'sharded') || (outer !== undefined && isOnShard(outer))

const RULES: Record<Rule, (levels: Level[]) => string[]> = {
  user: (levels) => levels.flatMap(withoutShard),
  together: (levels) => {
    if (levels.some(({ kind }) => kind !== 'select')) return []
    const groups = new Set(
      levels
        .flatMap(tablesOf)
        .map(groupOf)
        .filter((group) => group !== undefined),
    )
    return groups.size > 1 ? [...groups] : []
  },
  fixed: (levels) => {
    const spread = levels.filter(({ target }) => target !== undefined && groupOf(target) !== 'coordinator')
    const branches = spread.flatMap((level) => level.branches)
    return [
      ...functionsIn(spread.flatMap(({ fixed }) => fixed)).filter((name) => changing.has(name)),
      ...all(branches, 'SubLink').map(() => 'a subquery'),
    ]
  },
  once: (levels) => levels.filter(({ outer, limits }) => outer !== undefined && limits).flatMap(withoutShard),
  alongside: (levels) =>
    levels.filter((level) => level.locks && tablesOf(level).some(isCopied) && !isOnShard(level)).flatMap(tablesOf),
}

const broken = forOne.flatMap(({ name, text }) => {
  const levels = levelsOf(text)
  return Object.entries(RULES).flatMap(([rule, findOffences]) => {
    const offences = [...new Set(findOffences(levels))]
    return offences.length === 0 ? [] : [{ name, rule: rule as Rule, offences }]
  })
})

/** Variants of a statement that are made when it is first sent so, by a test that ran before: the same rows, a page or all of them. */
const VARIANT = /_keyed|_(?:first|after|wide)$/

const isListed = ({ name, rule }: { name: string; rule: Rule }) =>
  WALKS_ALL.test(name) || [name, name.replace(VARIANT, '')].some((one) => EXCEPTIONS[rule][one] !== undefined)

describe('statements on a cluster', () => {
  it('can all be parsed', () => {
    assert(forOne.length > 200, `${forOne.length} statements are found`)
  })

  for (const [rule, words] of Object.entries({
    user: 'name, wherever they name a table of users, whose rows they mean',
    together: 'read what lies in one place',
    fixed: 'write the same whenever they run',
    once: 'limit no part that reads all shards, because each such part is a statement of its own on every shard',
    alongside: 'lock a row that every node has alongside their user, because by itself it locks the whole table',
  })) {
    it(words, () => {
      const offences = broken.filter((one) => one.rule === rule && !isListed(one))
      assert.deepEqual(offences, [])
    })
  }

  it('have a variant for one call alongside the shared one', () => {
    const names = new Set(statements.map(({ name }) => name))
    const many = [...names].filter((name) => name.endsWith('_many'))
    assert(many.length > 10, 'forms for many are found at all')
    assert.deepEqual(
      many.filter((name) => !names.has(name.slice(0, -'_many'.length))),
      [],
    )
  })

  it('break exactly the rules listed as exceptions', () => {
    const listed = Object.entries(EXCEPTIONS).flatMap(([rule, reasons]) =>
      Object.keys(reasons).map((name) => ({ name, rule })),
    )
    const stale = listed.filter((one) => !broken.some(({ name, rule }) => name === one.name && rule === one.rule))
    assert.deepEqual(stale, [])
  })
})
