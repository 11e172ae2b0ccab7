import { integer, nullable, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { alreadyExists } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'
import { BENEFIT_PROVIDER, BENEFIT_PROVIDERS, type BenefitProvider } from './records.ts'

const FIND = statement('benefit_providers_find', `${BENEFIT_PROVIDERS.select} where b.benefit_provider_id = $1`)

const FIND_BY_CODE = statement('benefit_providers_find_by_code', `${BENEFIT_PROVIDERS.select} where b.code = $1`)

const LIST = statement('benefit_providers_list', BENEFIT_PROVIDERS.newest({ limit: '$1', offset: '$2' }))

export const INSERT_BENEFIT_PROVIDER = recordedWrite({
  name: 'benefit_providers_insert',
  values: { ...BENEFIT_PROVIDER, address: nullable(text('address')), at: time('at') },
  insert: 'benefit_providers',
  columns:
    'benefit_provider_id, name, code, address = :address::jsonb, colour, created_at = :at, last_modified_at = :at',
  events: false,
})

export const UPDATE_BENEFIT_PROVIDER = recordedWrite({
  name: 'benefit_providers_update',
  values: {
    id: text('benefit_provider_id'),
    revision: integer('revision'),
    name: text('name'),
    address: nullable(text('address')),
    colour: nullable(text('colour')),
    at: time('at'),
  },
  update: 'benefit_providers b',
  key: 'b.benefit_provider_id = :benefit_provider_id',
  guard: 'b.revision = :revision',
  set: 'name = :name, address = :address::jsonb, colour = :colour, revision = b.revision + 1, last_modified_at = :at',
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
