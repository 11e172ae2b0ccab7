import { type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'

const PROVIDER = table('benefit_providers b', {
  id: text('benefit_provider_id'),
  name: text('name'),
  code: text('code'),
  ...VERSION,
})

export type BenefitProvider = RecordOf<typeof PROVIDER>

const FIND = statement('benefit_providers_find', `${PROVIDER.select} where b.benefit_provider_id = $1`)

const FIND_BY_CODE = statement('benefit_providers_find_by_code', `${PROVIDER.select} where b.code = $1`)

const LIST = statement('benefit_providers_list', PROVIDER.newest({ limit: '$1', offset: '$2' }))

export const INSERT_BENEFIT_PROVIDER = recordedWrite({
  name: 'benefit_providers_insert',
  one: `insert into benefit_providers (benefit_provider_id, name, code, created_at, last_modified_at)
        values ($1, $2, $3, $4, $4)
        returning 1 as n`,
  events: false,
})

/** Maps a violation of the unique code to 409 `conflict`. */
export const codeConflict = (db: Queryable, code: string) => ({
  benefit_providers_code: async () => {
    const { id } = PROVIDER.decodeFound(await db.query<object>(FIND_BY_CODE, [code]))
    return conflict('A benefit provider with this code already exists.', {
      reason: 'already_exists',
      existing_ids: [id],
    })
  },
})

/** Returns a benefit provider. Throws 404 `not_found` when there is none. */
export const findBenefitProvider = async (db: Queryable, id: string): Promise<BenefitProvider> =>
  PROVIDER.decodeFound(await db.query<object>(FIND, [id]))

export const listBenefitProviders = async (db: Queryable, { limit, offset }: Page): Promise<Paged<BenefitProvider>> =>
  PROVIDER.decodePage(await db.query<{ total: number }>(LIST, [limit, offset]))
