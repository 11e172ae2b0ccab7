import { benefitIsInScope, type Scope } from '../../../access/scope.ts'
import { json, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { foundRow, onlyRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { Plan } from './schemas.ts'
import { BENEFIT_STATUSES, type BenefitStatus } from './states.ts'

const BENEFIT = table('benefits b', {
  id: text('benefit_id'),
  benefitProviderId: text('benefit_provider_id'),
  sponsorId: text('sponsor_id'),
  platformId: text('platform_id'),
  name: text('name'),
  status: oneOf('status', BENEFIT_STATUSES),
  plans: json<Plan[]>('plans'),
  ...VERSION,
})

export type Benefit = RecordOf<typeof BENEFIT>

const IN_SCOPE = benefitIsInScope({ platform: '$2', provider: '$3' })

const FIND = statement('benefits_find', `${BENEFIT.select} where b.benefit_id = $1 and ${IN_SCOPE}`)

const listText = (where: string) =>
  BENEFIT.newest({ where: `b.status = any ($1::text[]) and ${where}`, limit: '$2', offset: '$3' })

/** Three statements: a shared one would get one plan for all and scan the benefits of every owner. */
const LIST = statement('benefits_list', listText('true'))
const LIST_OF_PLATFORM = statement('benefits_list_of_platform', listText('b.platform_id = $4'))
const LIST_OF_PROVIDER = statement('benefits_list_of_provider', listText('b.benefit_provider_id = $4'))

/**
 * The sponsor's platform, null when there is no such sponsor, and whether the provider exists. Neither is ever deleted.
 */
const FIND_PARTIES = statement(
  'benefits_find_parties',
  `select (select s.platform_id from sponsors s where s.sponsor_id = $1) as platform_id,
          exists (select 1 from benefit_providers p where p.benefit_provider_id = $2) as has_provider`,
)

export const INSERT_BENEFIT = recordedWrite({
  name: 'benefits_insert',
  one: `insert into benefits (benefit_id, benefit_provider_id, sponsor_id, platform_id, name, status, plans, created_at,
               last_modified_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
        returning 1 as n`,
  history: 'catalogue',
})

/** Guarded by the revision that was read. */
export const UPDATE_BENEFIT = recordedWrite({
  name: 'benefits_update',
  one: `update benefits
           set name = $3, plans = $4, revision = revision + 1, last_modified_at = $5
         where benefit_id = $1 and revision = $2
        returning 1 as n`,
})

/** Returns SQL: true when a benefit is in use. Injected by the domain that uses benefits. */
export type IsInUse = (benefit: string) => string

export type Archive = ReturnType<typeof archiveStatements>

/**
 * Builds the statements of a deletion. The lock waits for enrolments in progress, which share the row, so that the
 * guard sees their policies. A single statement would use the snapshot from before the wait.
 */
export const archiveStatements = (isInUse: IsInUse) => ({
  find: statement(
    'benefits_find_with_use',
    `select ${BENEFIT.list}, ${isInUse('$1')} as is_in_use from benefits b where b.benefit_id = $1`,
  ),
  write: recordedWrite({
    name: 'benefits_archive',
    lock: 'select from benefits where benefit_id = $1 for update',
    lockCopies: 'update benefits set revision = revision where benefit_id = $1',
    one: `update benefits
             set status = 'ARCHIVED', revision = revision + 1, last_modified_at = $3
           where benefit_id = $1 and revision = $2 and not ${isInUse('$1')}
          returning 1 as n`,
    history: 'catalogue',
  }),
})

/** Returns a benefit in the caller's scope. Throws 404 `not_found` when there is none. */
export const findBenefit = async (db: Queryable, { platformId, providerId }: Scope, id: string): Promise<Benefit> =>
  BENEFIT.decodeFound(await db.query<object>(FIND, [id, platformId, providerId]))

/** Returns a benefit and whether it is in use. Throws 404 `not_found` when there is none. */
export async function findBenefitWithUse(
  db: Queryable,
  { find }: Archive,
  id: string,
): Promise<{ benefit: Benefit; isInUse: boolean }> {
  const row = foundRow(await db.query<{ is_in_use: boolean }>(find, [id]))
  return { benefit: BENEFIT.decode(row), isInUse: row.is_in_use }
}

export async function findParties(
  db: Queryable,
  { sponsorId, providerId }: { sponsorId: string; providerId: string },
): Promise<{ platformId: string | null; hasProvider: boolean }> {
  type Row = { platform_id: string | null; has_provider: boolean }
  const { platform_id, has_provider } = onlyRow(await db.query<Row>(FIND_PARTIES, [sponsorId, providerId]))
  return { platformId: platform_id, hasProvider: has_provider }
}

type Filter = { scope: Scope; statuses: BenefitStatus[]; page: Page }

export async function listBenefits(db: Queryable, { scope, statuses, page }: Filter): Promise<Paged<Benefit>> {
  const values = [statuses, page.limit, page.offset]
  const query = (list: Statement, owner: string[]) => db.query<{ total: number }>(list, [...values, ...owner])
  if (scope.platformId !== null) return BENEFIT.decodePage(await query(LIST_OF_PLATFORM, [scope.platformId]))
  if (scope.providerId !== null) return BENEFIT.decodePage(await query(LIST_OF_PROVIDER, [scope.providerId]))
  return BENEFIT.decodePage(await query(LIST, []))
}
