import {
  IN_SCOPE,
  isOwn,
  LINKED_PROVIDERS,
  SCOPE_PARAMETERS,
  scopeValues,
  userIsInScope,
  userScopeFrom,
  type UserScope,
} from '../../../access/scope.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { flag, integer, text } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { firstIdAt } from '../../../kernel/id.ts'
import type { Call, Deps } from '../../../record/index.ts'
import { type Consultation, type ConsultationPath, CONSULTATIONS, type OwnedConsultation } from './records.ts'
import type { ConsultationStatus } from './states.ts'

const OWN = isOwn('$3', 's.benefit_provider_id')

export const FIND_PARAMETERS = `${SCOPE_PARAMETERS}, consultation_id text`

/** SQL: a consultation in the caller's scope, for each of the calls. */
export function findText(calls: string, scope: readonly string[], extraColumns = ''): string {
  const [user = '', platform = '', provider = '', consultation = ''] = scope
  return `select c.n::int, ${CONSULTATIONS.list}, u.platform_id, u.data_key ${extraColumns}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
     join consultations s on s.user_id = ${user} and s.consultation_id = ${consultation}
      and ${isOwn(provider, 's.benefit_provider_id')}
     join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id`
}

const FIND = batchedRead<OwnerRow>({
  name: 'consultations_find',
  parameters: FIND_PARAMETERS,
  text: (calls, ...scope) => findText(calls, scope),
})

const LIST = statement(
  'consultations_list',
  listText(
    {
      columns: CONSULTATIONS.list,
      from: CONSULTATIONS.from,
      where: `s.user_id = $1 and ${OWN} and ($4::text[] is null or s.status = any ($4))`,
      order: 's.created_at desc, s.consultation_id desc',
      limit: '$5',
      offset: '$6',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}` },
  ),
)

/**
 * Returns the user and the benefit provider of a new consultation, and the user's consultations with an id from `$5` on:
 * ids begin with their time, so the primary key finds those of a day.
 */
const FIND_PARTIES = statement(
  'consultations_find_parties',
  `select u.platform_id, u.data_key, b.code,
          array(select coalesce(s.slot, 0) from consultations s where s.user_id = $1 and s.status = 'OPEN') as slots,
          (select count(*)::int from consultations s where s.user_id = $1 and s.consultation_id >= $5) as today
     from users u
     left join benefit_providers b
       on b.benefit_provider_id = $4 and ${isOwn('$3', 'b.benefit_provider_id')}
    where u.user_id = $1 and ${IN_SCOPE}`,
)

/**
 * From then on the benefit provider can see the user. Aborts when a concurrent call took the slot; the next attempt
 * reads again and finds a free one, or none.
 */
export const insert = CONSULTATIONS.insert('consultations_insert', {
  also: { platformId: text('platform_id'), slot: integer('slot'), awaitsProvider: flag('awaits_provider') },
  linked: [LINKED_PROVIDERS],
  history: 'user',
})

export const setStatus = CONSULTATIONS.update('consultations_update_status', ['status'], { history: 'user' })

/** Deletes every conversation of the user `$1`. */
export const ERASE_CONSULTATIONS = statement(
  'consultations_erase',
  `with messages as (delete from consultation_messages where user_id = $1),
        counts as (delete from message_counts where user_id = $1)
   delete from consultations where user_id = $1`,
)

export type OwnerRow = { platform_id: string; data_key: string }

export const decodeOwned = (row: OwnerRow, vault: Vault): OwnedConsultation => ({
  ...CONSULTATIONS.decode(row),
  platformId: row.platform_id,
  key: vault.unwrap(row.data_key),
})

/** Returns a consultation in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findConsultation({ db, vault }: Deps, scope: UserScope, id: string): Promise<OwnedConsultation> {
  return decodeOwned(foundRow(await FIND(db, [...scopeValues(scope), id])), vault)
}

type Target = Pick<Call<Deps, typeof ConsultationPath>, 'deps' | 'request' | 'params'>

/** Returns the consultation in the path, in the caller's scope. Throws 404 `not_found` when there is none. */
export const consultationInPath = ({ deps, request, params }: Target) =>
  findConsultation(deps, userScopeFrom(request), params.consultation_id)

/**
 * Returns the parties of a new consultation: the user, the code of the benefit provider (null when it does not exist or is
 * not the caller), and the slots of open consultations. Throws 404 `not_found` when the user is not in the caller's scope.
 */
export async function findParties(
  { db, vault }: Deps,
  scope: UserScope,
  { benefitProviderId, since }: { benefitProviderId: string; since: Date },
) {
  type Row = OwnerRow & { code: string | null; slots: number[]; today: number }
  const values = [...scopeValues(scope), benefitProviderId, firstIdAt('con', since)]
  const row = foundRow(await db.query<Row>(FIND_PARTIES, values))
  const owner = { platformId: row.platform_id, key: vault.unwrap(row.data_key) }
  return { ...owner, provider: row.code, slots: row.slots, today: row.today }
}

type Filter = { statuses: ConsultationStatus[] | undefined; page: Page }

/** Returns a page of a user's consultations, newest first. Throws 404 `not_found` when the user is not in scope. */
export async function findConsultations(
  db: Queryable,
  scope: UserScope,
  { statuses, page }: Filter,
): Promise<Paged<Consultation>> {
  const values = [...scopeValues(scope), statuses ?? null, page.limit, page.offset]
  return decodeOwnedPage(await db.query<{ total: number }>(LIST, values), 'consultation_id', CONSULTATIONS.decode)
}
