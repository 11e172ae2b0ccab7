import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { alreadyExists } from '../../../kernel/problem-error.ts'
import { BENEFIT_PROVIDERS, type BenefitProvider } from './records.ts'

const FIND = statement('benefit_providers_find', `${BENEFIT_PROVIDERS.select} where b.benefit_provider_id = $1`)

const FIND_BY_CODE = statement('benefit_providers_find_by_code', `${BENEFIT_PROVIDERS.select} where b.code = $1`)

const LIST = statement('benefit_providers_list', BENEFIT_PROVIDERS.newest({ limit: '$1', offset: '$2' }))

export const insertBenefitProvider = BENEFIT_PROVIDERS.insert('benefit_providers_insert', { events: false })
export const update = BENEFIT_PROVIDERS.update('benefit_providers_update', ['name', 'address', 'colour'], {
  events: false,
})

/** Maps a violation of the unique code to 409 `conflict`. */
export const codeConflict = (db: Queryable, code: string) => ({
  benefit_providers_code: async () => {
    const { id } = BENEFIT_PROVIDERS.decodeFound(await db.query<object>(FIND_BY_CODE, [code]))
    return alreadyExists('A benefit provider with this code already exists.', [id])
  },
})

export const hasBenefitProvider = async (db: Queryable, code: string): Promise<boolean> =>
  (await db.query<object>(FIND_BY_CODE, [code])).length > 0

type Target = { deps: { db: Queryable }; params: { benefit_provider_id: string } }

/** Returns the benefit provider in the path. Throws 404 `not_found` when there is none. */
export const benefitProviderInPath = async ({ deps, params }: Target): Promise<BenefitProvider> =>
  BENEFIT_PROVIDERS.decodeFound(await deps.db.query<object>(FIND, [params.benefit_provider_id]))

export const findBenefitProviders = async (db: Queryable, { limit, offset }: Page): Promise<Paged<BenefitProvider>> =>
  BENEFIT_PROVIDERS.decodePage(await db.query<{ total: number }>(LIST, [limit, offset]))
