/**
 * Where the rows of a table are stored on a Citus cluster; a plain PostgreSQL has them all in one place.
 * - `sharded`: by a column, on the worker nodes. Rows of a group with the same value are on one node.
 * - `everywhere`: a copy on each node (a reference table). A write needs all nodes.
 * - `coordinator`: one copy, on the node that every process connects to.
 */
export type Placement = (
  | { kind: 'sharded'; author: string; group: string }
  | { kind: 'everywhere'; because: string }
  | { kind: 'coordinator'; because: string }
) & {
  /** The columns that tell rows apart, where no primary key does. */
  key?: readonly string[]
}

/** Every table, in an order in which each can be placed. */
export type Placements = ReadonlyMap<string, Placement>

/** The tables of which every node has a copy. */
export const tablesEverywhere = (placements: Placements): string[] =>
  [...placements].flatMap(([table, { kind }]) => (kind === 'everywhere' ? [table] : []))

/** A foreign key of the database; `definition` as PostgreSQL prints it. */
export type ForeignKey = { name: string; table: string; references: string; definition: string }

/**
 * Returns the statements that place the tables of a cluster which are not placed yet, empty or filled by a plain
 * PostgreSQL before. They run in one transaction. Citus cannot place a table that foreign keys reference, so foreign
 * keys are dropped first and added again one by one; local copies of distributed rows are removed. Pure.
 */
export function placementSteps(
  placements: Placements,
  placed: ReadonlySet<string>,
  keys: readonly ForeignKey[],
): string[] {
  const missing = [...placements].filter(([table, { kind }]) => kind !== 'coordinator' && !placed.has(table))
  const isMissing = new Set(missing.map(([table]) => table))
  const affected = keys.filter(({ table, references }) => isMissing.has(table) || isMissing.has(references))
  return [
    ...affected.map(({ name, table }) => `alter table ${table} drop constraint ${name}`),
    ...missing.map(([table, placement]) => placeText(table, placement)),
    ...missing.map(([table]) => `select truncate_local_data_after_distributing_table('${table}')`),
    ...affected.map(({ name, table, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
  ]
}

function placeText(table: string, placement: Placement): string {
  if (placement.kind !== 'sharded') return `select create_reference_table('${table}')`
  const { author, group } = placement
  const alongside = group === table ? 'none' : group
  return `select create_distributed_table('${table}', '${author}', colocate_with => '${alongside}')`
}
