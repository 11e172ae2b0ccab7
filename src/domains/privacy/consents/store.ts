import { LINKED_LIST_WITHDRAWAL, type ListedWithdrawal } from '../../../access/revocations.ts'
import { IN_SCOPE, scopeValues, userScopeFrom, type UserScope } from '../../../access/scope.ts'
import { isAdult } from '../../../access/consent-rules.ts'
import type { Day } from '../../../kernel/date.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { columns, instant, integer, nullable, text, texts, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { linkedWrite } from '../../../kernel/db/write-statement.ts'
import { newEvent, type NewEvent, recordedWrite } from '../../../record/index.ts'
import { findCurrentVersions } from '../../people/dependants/index.ts'
import { decodeUser, type User, USER_COLUMNS, USER_PROFILE } from '../../people/users/index.ts'
import { type Consent, CONSENTS, type StoredConsent } from './records.ts'

export const PROOF = sealedColumn<string, { userId: string; id: string }>('consents.proof_sealed', {
  row: ({ userId, id }) => `consents:${userId}:${id}`,
})

/** Of a child who turned 18, the consent of the person is outstanding until there is one. */
export const LINKED_SETTLE_OF_AGE = linkedWrite(
  { firstId: text('first_id') },
  {
    name: 'settled_of_age',
    text: `update came_of_age a set waits_since = null from r join changed using (n)
      where a.user_id = :user_id and a.first_id = r.first_id`,
  },
)

/** A later consent for the purpose settles the withdrawals before it: of the user, or of any version of the dependant. */
export const LINKED_SETTLE_WITHDRAWN = linkedWrite(
  { purpose: text('purpose'), versions: nullable(texts('versions')) },
  {
    name: 'settled_withdrawn',
    text: `update consents c set waits_since = null from r join changed using (n)
      where c.user_id = :user_id and c.purpose = r.purpose and c.waits_since is not null
        and (c.dependant_id = any (r.versions) or c.dependant_id is null and r.versions is null)`,
  },
)

export const insertConsent = CONSENTS.insert('consents_insert', {
  linked: [LINKED_SETTLE_OF_AGE, LINKED_SETTLE_WITHDRAWN],
})

/** A consent that is withdrawn stays, with the time of its withdrawal. What had ended before is not waited for. */
export const WITHDRAW = recordedWrite({
  name: 'consents_withdraw',
  values: {
    userId: text('user_id'),
    id: text('consent_id'),
    purpose: text('purpose'),
    dependantId: nullable(text('dependant_id')),
    revision: integer('revision'),
    at: time('at'),
  },
  update: 'consents c',
  key: 'c.user_id = :user_id and c.consent_id = :consent_id',
  guard: 'c.revision = :revision',
  set: 'withdrawn_at = :at, waits_since = case when c.ended_at is null then :at::timestamptz end, revision = c.revision + 1, last_modified_at = :at',
  linked: [LINKED_LIST_WITHDRAWAL],
})

/** One that is not in this database was given after the backup; its withdrawal is that of those before it. */
const WITHDRAW_LISTED = statement(
  'consents_withdraw_listed',
  `update consents c
      set withdrawn_at = $5, waits_since = case when c.ended_at is null then $5::timestamptz end, revision = c.revision + 1, last_modified_at = $5
    where c.user_id = $1 and c.withdrawn_at is null and c.created_at <= $5
      and (c.consent_id = $2
           or c.purpose = $3 and c.dependant_id is not distinct from $4
              and not exists (select from consents k where k.user_id = $1 and k.consent_id = $2))
   returning c.consent_id`,
)

/** Withdraws what had been withdrawn before a database was restored, with the time of that; returns what had not. */
export async function withdrawListed(
  db: Queryable,
  { userId, id, purpose, dependantId }: ListedWithdrawal,
  at: Date,
): Promise<string[]> {
  const rows = await db.query<{ consent_id: string }>(WITHDRAW_LISTED, [userId, id, purpose, dependantId, at])
  return rows.map(({ consent_id }) => consent_id)
}

/** SQL: the benefit providers of the user `$1`. */
export const PROVIDERS = `array(select k.benefit_provider_id from user_providers k where k.user_id = $1 order by 1) as providers`
export const { decode: decodeProviders } = texts('providers')

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

const GIVEN = columns('c', { at: instant('created_at'), givenBy: text('given_by') })
/** The newest by whether the user gave it. */
const FIND_GIVEN = statement(
  'consents_find_given',
  `select distinct on (c.given_by = 'SELF') ${GIVEN.list}
     from consents c
    where c.user_id = $1 and c.purpose = $2 and c.dependant_id is null and c.withdrawn_at is null
      and not exists (select from consents w
                       where w.user_id = $1 and w.purpose = $2 and w.dependant_id is null and w.withdrawn_at >= c.created_at)
    order by c.given_by = 'SELF' desc, c.created_at desc`,
)

type Purpose = Pick<StoredConsent, 'purpose'> & { userId: string }

/**
 * Returns the newest consent of a user for a purpose that is not about a dependant and was given after the last withdrawal: who withdraws one
 * means all of them. What a parent or guardian of the user gave ends when the user is 18; for children it is the user who is one.
 */
export async function findGiven(
  reader: Context,
  { userId, purpose, today }: Purpose & { today: Day },
): Promise<{ at: Date } | undefined> {
  const [newest] = (await reader.db.query<object>(FIND_GIVEN, [userId, purpose])).map(GIVEN.decode)
  if (newest === undefined || newest.givenBy === 'SELF' || purpose === 'children') return newest
  const born = await findBirth(reader, userId)
  return born !== undefined && isAdult(born, today) ? undefined : newest
}

const FIND_BIRTH = statement('consents_find_birth', 'select u.data_key, u.sealed from users u where u.user_id = $1')

/** Returns the birth of a user; undefined where none is stored. */
async function findBirth({ db, vault }: Context, userId: string): Promise<Day | undefined> {
  const [row] = await db.query<{ data_key: string | null; sealed: string }>(FIND_BIRTH, [userId])
  if (!row || row.data_key === null) return undefined
  return USER_PROFILE.unseal(vault.unwrap(row.data_key), { id: userId }, row.sealed).dob
}

const SELF_GIVEN = columns('c', {
  dependantId: text('dependant_id'),
  at: instant('created_at'),
  withdrawnAt: nullable(instant('withdrawn_at')),
})
const LIST_SELF_GIVEN = statement(
  'consents_list_self_given',
  `select ${SELF_GIVEN.list}
     from consents c
    where c.user_id = $1 and c.purpose = $2 and c.given_by = 'SELF' and c.dependant_id is not null`,
)

/** Returns the current versions of the dependants who consented for themselves after their last withdrawal. */
export async function findSelfGiven(db: Queryable, { userId, purpose }: Purpose): Promise<ReadonlySet<string>> {
  const all = (await db.query<object>(LIST_SELF_GIVEN, [userId, purpose])).map(SELF_GIVEN.decode)
  if (all.length === 0) return new Set()
  const current = await findCurrentVersions(db, userId, [...new Set(all.map(({ dependantId }) => dependantId))])
  const withdrawnAt = new Map<string | undefined, number>()
  const idOf = (version: string) => current.get(version)?.id
  for (const { dependantId, withdrawnAt: at } of all)
    if (at) withdrawnAt.set(idOf(dependantId), Math.max(at.getTime(), withdrawnAt.get(idOf(dependantId)) ?? 0))
  const counting = all.filter(
    ({ dependantId, at, withdrawnAt: own }) => !own && at.getTime() > (withdrawnAt.get(idOf(dependantId)) ?? 0),
  )
  return new Set(counting.flatMap(({ dependantId }) => idOf(dependantId) ?? []))
}

/** Deletes the consents of the erased user `$1`, and that the person or a dependant turned 18. */
export const ERASE_CONSENTS = statement(
  'consents_erase',
  `with came as (delete from came_of_age where user_id = $1)
   delete from consents where user_id = $1`,
)

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

/** An event for each benefit provider of a person, or one that names none: the platform sees them all. */
export const forEachProvider = <T>(providers: readonly string[], toEvent: (provider: string | null) => T): T[] =>
  (providers.length === 0 ? [null] : providers).map(toEvent)

export const consentEvents = (
  type: 'consent.given' | 'consent.withdrawn',
  { consent: { userId, id, purpose, platformId }, providers }: Concerned,
): NewEvent[] =>
  forEachProvider(providers, (provider) =>
    newEvent(type, { platformId, data: { user_id: userId, consent_id: id, purpose, benefit_provider_id: provider } }),
  )
