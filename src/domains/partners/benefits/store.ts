import type { Caller } from '../../../access/caller.ts'
import { benefitIsInScope, type Scope, toScope } from '../../../access/scope.ts'
import { integer, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, onlyRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { recordedWrite } from '../../../record/index.ts'
import { type Benefit, BENEFITS } from './records.ts'

const IN_SCOPE = benefitIsInScope({ platform: '$2', provider: '$3' })

const FIND = statement('benefits_find', `${BENEFITS.select} where b.benefit_id = $1 and ${IN_SCOPE}`)

const listText = (where: string) =>
  BENEFITS.newest({ where: `b.status = any ($1::text[]) and ${where}`, limit: '$2', offset: '$3' })

/** Three statements: a shared one would get one plan for all and scan the benefits of every owner. */
const LIST = statement('benefits_list', listText('true'))
const LIST_OF_PLATFORM = statement('benefits_list_of_platform', listText('b.platform_id = $4'))
const LIST_OF_PROVIDER = statement('benefits_list_of_provider', listText('b.benefit_provider_id = $4'))

/** The sponsor's platform, null without such a sponsor, and whether the provider exists. Neither is ever deleted. */
const FIND_PARTIES = statement(
  'benefits_find_parties',
  `select (select s.platform_id from sponsors s where s.sponsor_id = $1) as "platformId",
          exists (select 1 from benefit_providers p where p.benefit_provider_id = $2) as "hasProvider"`,
)

export const insert = BENEFITS.insert('benefits_insert', { history: 'catalogue' })
export const update = BENEFITS.update('benefits_update', ['name', 'plans'])

/** Returns SQL: true when a benefit is in use. */
export type IsInUse = (benefit: string) => string

type Archive = ReturnType<typeof archiveStatements>

/**
 * Builds the statements of a deletion. The lock waits for enrolments in progress, which share the row, so that the
 * guard sees their policies. A single statement would use the snapshot from before the wait.
 */
export const archiveStatements = (isInUse: IsInUse) => ({
  find: statement(
    'benefits_find_with_use',
    `select ${BENEFITS.list}, ${isInUse('$1')} as is_in_use from benefits b where b.benefit_id = $1`,
  ),
  write: recordedWrite({
    name: 'benefits_archive',
    values: { id: text('benefit_id'), revision: integer('revision'), at: time('at') },
    lock: 'select from benefits where benefit_id = :benefit_id for update',
    lockCopies: 'update benefits set revision = revision where benefit_id = :benefit_id',
    update: 'benefits b',
    key: 'b.benefit_id = :benefit_id',
    guard: `b.revision = :revision and not ${isInUse(':benefit_id')}`,
    set: `status = 'ARCHIVED', revision = b.revision + 1, last_modified_at = :at`,
    history: 'catalogue',
  }),
})

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { benefit_id: string } }

/** Returns the benefit in the path, in the caller's scope. Throws 404 `not_found` when there is none. */
export async function benefitInPath({ deps, request, params }: Target): Promise<Benefit> {
  const { platformId, providerId } = toScope(request.caller)
  return BENEFITS.decodeFound(await deps.db.query<object>(FIND, [params.benefit_id, platformId, providerId]))
}

/** Returns a benefit and whether it is in use. Throws 404 `not_found` when there is none. */
export async function findBenefitWithUse(
  db: Queryable,
  { find }: Archive,
  id: string,
): Promise<{ benefit: Benefit; isInUse: boolean }> {
  const row = foundRow(await db.query<{ is_in_use: boolean }>(find, [id]))
  return { benefit: BENEFITS.decode(row), isInUse: row.is_in_use }
}

type Parties = { platformId: string | null; hasProvider: boolean }

export const findParties = async (db: Queryable, ids: { sponsorId: string; providerId: string }): Promise<Parties> =>
  onlyRow(await db.query<Parties>(FIND_PARTIES, [ids.sponsorId, ids.providerId]))

type Filter = { scope: Scope; statuses: Benefit['status'][]; page: Page }

export async function findBenefits(db: Queryable, { scope, statuses, page }: Filter): Promise<Paged<Benefit>> {
  const values = [statuses, page.limit, page.offset]
  const query = (list: Statement, owner: string[]) => db.query<{ total: number }>(list, [...values, ...owner])
  if (scope.platformId !== null) return BENEFITS.decodePage(await query(LIST_OF_PLATFORM, [scope.platformId]))
  if (scope.providerId !== null) return BENEFITS.decodePage(await query(LIST_OF_PROVIDER, [scope.providerId]))
  return BENEFITS.decodePage(await query(LIST, []))
}
