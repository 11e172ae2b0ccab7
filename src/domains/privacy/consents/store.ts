import { IN_SCOPE, scopeValues, userScopeFrom, type UserScope } from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { columns, instant, integer, text, texts, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { newEvent, type NewEvent, recordedWrite } from '../../../record/index.ts'
import { decodeUser, type User, USER_COLUMNS } from '../../people/users/index.ts'
import { type Consent, CONSENTS, type StoredConsent } from './records.ts'

export const PROOF = sealedColumn<string, { userId: string; id: string }>('consents.proof_sealed', {
  row: ({ userId, id }) => `consents:${userId}:${id}`,
})

export const insertConsent = CONSENTS.insert('consents_insert')

/** A consent that is withdrawn stays, with the time of its withdrawal. */
export const WITHDRAW = recordedWrite({
  name: 'consents_withdraw',
  values: { userId: text('user_id'), id: text('consent_id'), revision: integer('revision'), at: time('at') },
  update: 'consents c',
  key: 'c.user_id = :user_id and c.consent_id = :consent_id',
  guard: 'c.revision = :revision',
  set: 'withdrawn_at = :at, revision = c.revision + 1, last_modified_at = :at',
})

/** SQL: the benefit providers of the user `$1`. */
const PROVIDERS = `array(select k.benefit_provider_id from user_providers k where k.user_id = $1 order by 1) as providers`
const { decode: decodeProviders } = texts('providers')

const FIND_GIVER = statement(
  'consents_find_giver',
  `select ${USER_COLUMNS}, ${PROVIDERS} from users u where u.user_id = $1 and ${IN_SCOPE}`,
)

const FIND = statement(
  'consents_find',
  `select ${CONSENTS.list}, u.data_key, ${PROVIDERS}
     from users u
     join consents c on c.user_id = $1 and c.consent_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const LIST = statement(
  'consents_list',
  listText(
    {
      columns: CONSENTS.list,
      from: 'consents c',
      where: 'c.user_id = $1',
      order: 'c.created_at desc, c.consent_id desc',
      limit: '$4',
      offset: '$5',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}`, columns: 'u.data_key' },
  ),
)

const GIVEN = columns('c', { at: instant('created_at') })
const FIND_GIVEN = statement(
  'consents_find_given',
  `select ${GIVEN.list}
     from consents c
    where c.user_id = $1 and c.purpose = $2 and c.dependant_id is null and c.withdrawn_at is null
      and not exists (select from consents w
                       where w.user_id = $1 and w.purpose = $2 and w.dependant_id is null and w.withdrawn_at >= c.created_at)
    order by c.created_at desc
    limit 1`,
)

/**
 * Returns the newest consent of a user for a purpose that is not about a dependant and was given after the last withdrawal: who withdraws one
 * means all of them.
 */
export async function findGiven(
  db: Queryable,
  { userId, purpose }: Pick<StoredConsent, 'purpose'> & { userId: string },
): Promise<{ at: Date } | undefined> {
  const [row] = await db.query<object>(FIND_GIVEN, [userId, purpose])
  return row && GIVEN.decode(row)
}

/** Deletes the consents of the erased user `$1`. */
export const ERASE_CONSENTS = statement('consents_erase', 'delete from consents where user_id = $1')

type Context = { db: Queryable; vault: Vault }

/** Returns a user with their benefit providers. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findGiver(
  { db, vault }: Context,
  scope: UserScope,
): Promise<{ user: User; providers: string[] }> {
  const row = foundRow(await db.query<{ providers: unknown }>(FIND_GIVER, scopeValues(scope)))
  return { user: decodeUser(row, vault), providers: decodeProviders(row.providers) }
}

type Target = { deps: Context; request: Parameters<typeof userScopeFrom>[0]; params: { consent_id: string } }

/** Returns the consent in the path. Throws 404 `not_found` when it is not in the caller's scope. */
export async function consentInPath({ deps: { db, vault }, request, params }: Target) {
  const values = [...scopeValues(userScopeFrom(request)), params.consent_id]
  const row = foundRow(await db.query<{ data_key: string; providers: unknown }>(FIND, values))
  return { ...withProof(CONSENTS.decode(row), vault.unwrap(row.data_key)), providers: decodeProviders(row.providers) }
}

/** Returns a page of a user's consents, newest first. Throws 404 `not_found` when the user is not in scope. */
export async function findConsents({ db, vault }: Context, scope: UserScope, page: Page): Promise<Paged<Consent>> {
  const rows = await db.query<{ total: number; data_key: string }>(LIST, [
    ...scopeValues(scope),
    page.limit,
    page.offset,
  ])
  return decodeOwnedPage(rows, 'consent_id', (row) => withProof(CONSENTS.decode(row), vault.unwrap(row.data_key)))
}

const withProof = (consent: StoredConsent, key: DataKey): Consent => ({
  ...consent,
  proof: consent.proofSealed === null ? null : PROOF.unsealOr(key, consent, consent.proofSealed, UNAVAILABLE),
})

type Concerned = { consent: StoredConsent; providers: readonly string[] }

/** One event for each benefit provider of the person, or one that names none: the platform sees them all. */
export function consentEvents(
  type: 'consent.given' | 'consent.withdrawn',
  { consent: { userId, id, purpose, platformId }, providers }: Concerned,
): NewEvent[] {
  const concerned = providers.length === 0 ? [null] : providers
  return concerned.map((provider) =>
    newEvent(type, { platformId, data: { user_id: userId, consent_id: id, purpose, benefit_provider_id: provider } }),
  )
}
