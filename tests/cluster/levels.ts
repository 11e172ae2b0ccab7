import { loadModule, type Node, parseSync } from 'libpg-query'

await loadModule()

/** A table of the product, and its alias in the statement. */
export type Relation = { table: string; alias: string }

/** A SELECT, INSERT, UPDATE or DELETE of a statement: the outermost one, a CTE or a subquery. */
export type Level = {
  kind: 'select' | 'insert' | 'update' | 'delete'
  /** The table it writes; undefined for a SELECT. */
  target: string | undefined
  /** The tables it reads or changes, without CTEs and without the target of an INSERT. */
  relations: Relation[]
  /** The conditions of WHERE and ON, split at `and`. */
  conditions: Node[]
  /** The expressions in `returning`, `case`, and after `on conflict`. */
  fixed: Node[]
  /** The expressions in `case` and `coalesce`. */
  branches: Node[]
  locks: boolean
  limits: boolean
  /** The level that it is a subquery of; none for a CTE. */
  outer: Level | undefined
}

type Fields = Record<string, unknown>
type Kind = Level['kind']

const KINDS: Record<string, Kind> = {
  SelectStmt: 'select',
  InsertStmt: 'insert',
  UpdateStmt: 'update',
  DeleteStmt: 'delete',
}

/** Returns the levels of a statement, the outermost last. Throws when it is not SQL. */
export function levelsOf(text: string): Level[] {
  const levels: Level[] = []
  for (const { stmt } of parseSync(text).stmts ?? []) collect(stmt, { ctes: new Set(), levels, outer: undefined })
  return levels
}

type Context = { ctes: ReadonlySet<string>; levels: Level[]; outer: Level | undefined }

function collect(node: unknown, context: Context): void {
  if (Array.isArray(node)) for (const item of node) collect(item, context)
  else if (isFields(node)) {
    for (const [name, child] of Object.entries(node)) {
      const kind = KINDS[name]
      if (kind && isFields(child)) open(kind, child, context)
      else collect(child, context)
    }
  }
}

function open(kind: Kind, fields: Fields, { ctes: known, levels, outer }: Context): void {
  const { relation, larg, rarg, fromClause, usingClause, whereClause, withClause, ...others } = fields
  const ctes = new Set([...known, ...all(withClause, 'CommonTableExpr').map(({ ctename }) => String(ctename))])
  for (const side of [larg, rarg]) if (isFields(side)) open('select', side, { ctes, levels, outer })
  const level: Level = {
    kind,
    target: isFields(relation) ? String(relation['relname']) : undefined,
    relations: [],
    conditions: conditionsIn(whereClause),
    fixed: [
      fields['returningList'],
      fields['returningClause'],
      fields['onConflictClause'],
      ...all(fields, 'CaseExpr'),
    ] as Node[],
    branches: ['CaseExpr', 'CoalesceExpr'].flatMap((kind) => all(fields, kind)) as Node[],
    locks: fields['lockingClause'] !== undefined,
    limits: fields['limitCount'] !== undefined,
    outer,
  }
  const inside = { ctes, levels, outer: level }
  if (kind !== 'insert') add(relation, level, ctes)
  for (const item of [fromClause, usingClause].flat()) if (item) addItem(item as Fields, level, inside)
  collect(withClause, { ctes, levels, outer: undefined })
  collect([whereClause, others], inside)
  levels.push(level)
}

function addItem(item: Fields, level: Level, context: Context): void {
  const { RangeVar: table, JoinExpr: join } = item
  if (table) return add(table, level, context.ctes)
  if (!isFields(join)) return collect(item, context)
  level.conditions.push(...conditionsIn(join['quals']))
  collect(join['quals'], context)
  for (const side of [join['larg'], join['rarg']]) addItem(side as Fields, level, context)
}

function add(relation: unknown, level: Level, ctes: ReadonlySet<string>): void {
  if (!isFields(relation)) return
  const { schemaname: schema, relname: name, alias } = relation
  const table = typeof schema === 'string' ? `${schema}.${String(name)}` : String(name)
  if (ctes.has(table) || table.startsWith('pg_')) return
  level.relations.push({ table, alias: isFields(alias) ? String(alias['aliasname']) : table })
}

/** Returns the conditions that `and` joins. */
function conditionsIn(condition: unknown): Node[] {
  if (!isFields(condition)) return []
  const { BoolExpr: joined } = condition
  if (!isFields(joined) || joined['boolop'] !== 'AND_EXPR') return [condition as unknown as Node]
  return (joined['args'] as unknown[]).flatMap(conditionsIn)
}

/** Returns every node of a kind below this one, without those of other statements. */
export function all(node: unknown, kind: string): Fields[] {
  if (Array.isArray(node)) return node.flatMap((item) => all(item, kind))
  if (!isFields(node)) return []
  return Object.entries(node).flatMap(([name, child]) => [
    ...(name === kind && isFields(child) ? [child] : []),
    ...(name in KINDS ? [] : all(child, kind)),
  ])
}

const isFields = (node: unknown): node is Fields => typeof node === 'object' && node !== null && !Array.isArray(node)
