import type { Caller } from '../../../access/caller.ts'
import { isOwn, toScope } from '../../../access/scope.ts'
import { columns } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { createPurge } from '../../../kernel/db/purge.ts'
import { type Comparison, COMPARISONS, DIFFERENCE, type Difference, type DifferenceKind } from './records.ts'

const FIND = statement(
  'comparisons_find',
  `${COMPARISONS.select}
    where c.comparison_id = $1 and ${isOwn('$2', 'c.platform_id')} and ${isOwn('$3', 'c.benefit_provider_id')}`,
)

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { comparison_id: string } }

/** Returns the comparison in the path. Throws 404 `not_found` when there is none, or it is not the caller's. */
export async function comparisonInPath({ deps, request, params }: Target): Promise<Comparison> {
  const { platformId, providerId } = toScope(request.caller)
  return COMPARISONS.decodeFound(await deps.db.query<object>(FIND, [params.comparison_id, platformId, providerId]))
}

export const insertComparison = COMPARISONS.insert('comparisons_insert', { events: false })

const INSERT_DIFFERENCES = statement(
  'comparison_differences_insert',
  `insert into comparison_differences (comparison_id, position, difference, row_number, column_name, user_id, policy_id, person_id, entry_id)
   select $1, d.position, d.kind, d."row", d."column", d."userId", d."policyId", d."personId", d."entryId"
     from json_to_recordset($2) as d (position int, kind text, "row" int, "column" text, "userId" text, "policyId" text, "personId" text,
                                      "entryId" text)`,
)
const DELETE_DIFFERENCES = statement(
  'comparison_differences_delete',
  'delete from comparison_differences where comparison_id = $1',
)

const ROWS_AT_ONCE = 1_000

/** Stores the differences of a comparison, in their order. */
export async function insertDifferences(db: Queryable, id: string, all: readonly Difference[]): Promise<void> {
  for (let first = 0; first < all.length; first += ROWS_AT_ONCE) {
    const rows = all.slice(first, first + ROWS_AT_ONCE).map((one, index) => ({ ...one, position: first + index }))
    await db.query(INSERT_DIFFERENCES, [id, JSON.stringify(rows)])
  }
}

export const deleteDifferences = (db: Queryable, id: string) => db.query(DELETE_DIFFERENCES, [id])

const { list, decode } = columns('d', DIFFERENCE)

const LIST_DIFFERENCES = statement(
  'comparison_differences_list',
  listText({
    columns: list,
    from: 'comparison_differences d',
    where: 'd.comparison_id = $1 and ($2::text[] is null or d.difference = any ($2))',
    order: 'd.position',
    limit: '$3',
    offset: '$4',
  }),
)

type Filter = Page & { kinds: readonly DifferenceKind[] | undefined }

/** Returns a page of the differences: those of the rows in the order of the file, then who has no row. */
export async function listStored(
  db: Queryable,
  comparisonId: string,
  { kinds, limit, offset }: Filter,
): Promise<Paged<ReturnType<typeof decode>>> {
  const rows = await db.query<{ total: number }>(LIST_DIFFERENCES, [comparisonId, kinds ?? null, limit, offset])
  return decodePage(rows, 'difference', decode)
}

/** Deletes what comparisons found about the erased user `$1`. */
export const ERASE_DIFFERENCES = statement(
  'comparison_differences_erase',
  'delete from comparison_differences where user_id = $1',
)

/** For how long a comparison is kept. */
const KEPT_S = 90 * 86_400
const purgeDifferences = createPurge({ table: 'comparison_differences', time: 'created_at', seconds: KEPT_S })
const purgeComparisons = createPurge({ table: 'comparisons', time: 'last_modified_at', seconds: KEPT_S })

/** Deletes what is old, and what a comparison that was cut off has left behind. */
export async function deleteOldComparisons(db: Queryable): Promise<void> {
  await purgeDifferences(db)
  await purgeComparisons(db)
}
