import { isOwn, userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { columns, decoded, oneOf, type RecordOf, text, time } from '../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../kernel/db/database.ts'
import { decodeUserId } from '../../kernel/db/decode.ts'
import { listText } from '../../kernel/db/list-text.ts'
import { decodeOwnedPage, decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { VERSION } from '../../kernel/db/version.ts'
import type { Day } from '../../kernel/date.ts'
import { notFound } from '../../kernel/refusal.ts'
import { recordedWrite } from '../../record/index.ts'
import { PROVIDERS_PART } from '../users/index.ts'
import type { MessageBody } from './schemas.ts'
import { CONSULTATION_STATUSES, type ConsultationStatus } from './states.ts'

const CONSULTATION = columns('s', {
  id: text('consultation_id'),
  userId: decoded('user_id', decodeUserId),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('status', CONSULTATION_STATUSES),
  ...VERSION,
})

const PROVIDER = columns('b', { provider: text('code') })

export type Consultation = RecordOf<typeof CONSULTATION> & RecordOf<typeof PROVIDER>

/** A consultation with what its transitions need of the user. */
export type OwnedConsultation = Consultation & { platformId: string; key: DataKey }

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })
const OWN = isOwn('$3', 's.benefit_provider_id')

const FOUND = `${CONSULTATION.list}, ${PROVIDER.list}, u.platform_id, u.data_key`
const FROM_OWNED = `from users u
     join consultations s on s.user_id = $1 and s.consultation_id = $4 and ${OWN}
     join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id
    where u.user_id = $1 and ${IN_SCOPE}`

const FIND = statement('consultations_find', `select ${FOUND} ${FROM_OWNED}`)

/** SQL: the counter `w` counts this day; a node whose clock is ahead may have begun the next. */
const countsDay = (day: string) => `w.day between ${day} and ${day} + 1`

const FIND_TO_WRITE = statement(
  'consultations_find_to_write',
  `select ${FOUND}, u.sealed as profile, b.name as provider_name,
          (select l.name from platforms l where l.platform_id = u.platform_id) as platform_name,
          (select w.written from messages_written w where w.user_id = $1 and ${countsDay('$5::date')}) as written_today
     ${FROM_OWNED}`,
)

const LIST = statement(
  'consultations_list',
  listText(
    {
      columns: `${CONSULTATION.list}, ${PROVIDER.list}`,
      from: 'consultations s join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id',
      where: `s.user_id = $1 and ${OWN} and ($4::text[] is null or s.status = any ($4))`,
      order: 's.created_at desc, s.consultation_id desc',
      limit: '$5',
      offset: '$6',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}` },
  ),
)

/** Whom a consultation is to be opened for and with. */
const FIND_PARTIES = statement(
  'consultations_find_parties',
  `select u.platform_id, u.data_key, b.code,
          (select count(*)::int from consultations s where s.user_id = $1 and s.status = 'OPEN') as open_now
     from users u
     left join benefit_providers b
       on b.benefit_provider_id = $4 and ${isOwn('$3', 'b.benefit_provider_id')}
    where u.user_id = $1 and ${IN_SCOPE}`,
)

/**
 * `$1` to `$5`: a new consultation, if fewer than `$6` are open. From then on the benefit provider can see the user. The user is
 * locked before they are counted, so that those that come at once are counted one after another.
 */
export const INSERT_CONSULTATION = recordedWrite({
  name: 'consultations_insert',
  lock: 'select from users where user_id = $1 for no key update',
  one: `insert into consultations (user_id, consultation_id, benefit_provider_id, status, created_at, last_modified_at)
        select $1, $2, $3, $4, $5, $5
         where (select count(*) from consultations where user_id = $1 and status = 'OPEN') < $6
        returning 1 as n`,
  parts: [PROVIDERS_PART],
  history: 'user',
})

/** `$4` and `$5`: the new status, guarded by the revision that was read. */
export const UPDATE_STATUS = recordedWrite({
  name: 'consultations_update_status',
  one: `update consultations
           set status = $4, revision = revision + 1, last_modified_at = $5
         where user_id = $1 and consultation_id = $2 and revision = $3
        returning 1 as n`,
  history: 'user',
})

/**
 * `$3` to `$5`: a message. Nobody closes the consultation while it is written; in a closed one nothing is. `$6` and `$7`: the
 * day, and how many the user may write on it; null for who is not counted.
 */
export const INSERT_MESSAGE = recordedWrite({
  name: 'consultation_messages_insert',
  one: `open_one as (
          select 1 as one from consultations where user_id = $1 and consultation_id = $2 and status = 'OPEN' for share
        ), counted as (
          insert into messages_written as w (user_id, day, written)
          select $1, $6::date, 1 from open_one where $6::date is not null
              on conflict (user_id) do update
                 set day = case when ${countsDay('excluded.day')} then w.day else excluded.day end,
                     written = case when ${countsDay('excluded.day')} then w.written + 1 else 1 end
               where not ${countsDay('excluded.day')} or w.written < $7::int
          returning 1 as one
        ), changed as (
          insert into consultation_messages (user_id, consultation_id, message_id, sealed, created_at)
          select $1, $2, $3, $4, $5 from open_one where $6::date is null or exists (select from counted)
          returning 1 as n)`,
})

const MESSAGE = columns('m', { id: text('message_id'), sealed: text('sealed'), createdAt: time('created_at') })

const LIST_MESSAGES = statement(
  'consultation_messages_list',
  listText({
    columns: MESSAGE.list,
    from: 'consultation_messages m',
    where: 'm.user_id = $1 and m.consultation_id = $2',
    order: 'm.created_at, m.message_id',
    limit: '$3',
    offset: '$4',
  }),
)

type Kit = { db: Queryable; vault: Vault }
type OwnerRow = { platform_id: string; data_key: string }

const valuesOf = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

const decode = (row: object): Consultation => ({ ...CONSULTATION.decode(row), ...PROVIDER.decode(row) })

const decodeOwned = (row: OwnerRow, vault: Vault): OwnedConsultation => ({
  ...decode(row),
  platformId: row.platform_id,
  key: vault.open(row.data_key),
})

/** Throws 404 `not_found` when the consultation is not in the caller's scope. */
export async function findConsultation({ db, vault }: Kit, scope: UserScope, id: string): Promise<OwnedConsultation> {
  const [row] = await db.query<OwnerRow>(FIND, [...valuesOf(scope), id])
  if (!row) throw notFound()
  return decodeOwned(row, vault)
}

/** The names of all who may write in a consultation; the user's is in the sealed profile. */
export type Names = { sealedProfile: string; platformName: string; providerName: string }

type Correspondence = { consultation: OwnedConsultation; names: Names; writtenToday: number }

/**
 * A consultation with who may write in it, and how many messages the user has written on this day. Throws 404 `not_found` when it
 * is not in the caller's scope.
 */
export async function findToWrite(
  { db, vault }: Kit,
  scope: UserScope,
  { id, day }: { id: string; day: Day },
): Promise<Correspondence> {
  type Row = OwnerRow & { profile: string; platform_name: string; provider_name: string; written_today: number | null }
  const [row] = await db.query<Row>(FIND_TO_WRITE, [...valuesOf(scope), id, day])
  if (!row) throw notFound()
  const names = { sealedProfile: row.profile, platformName: row.platform_name, providerName: row.provider_name }
  return { consultation: decodeOwned(row, vault), names, writtenToday: row.written_today ?? 0 }
}

/**
 * The user, the code of the benefit provider (undefined when there is none, or when the caller is another one), and how many
 * consultations are open.
 */
export type Parties = { platformId: string; key: DataKey; provider: string | undefined; openNow: number }

/** Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findParties({ db, vault }: Kit, scope: UserScope, benefitProviderId: string): Promise<Parties> {
  type Row = OwnerRow & { code: string | null; open_now: number }
  const [row] = await db.query<Row>(FIND_PARTIES, [...valuesOf(scope), benefitProviderId])
  if (!row) throw notFound()
  const owner = { platformId: row.platform_id, key: vault.open(row.data_key) }
  return { ...owner, provider: row.code ?? undefined, openNow: row.open_now }
}

type Filter = { statuses: ConsultationStatus[] | undefined; page: Page }

/** A page of a user's consultations, newest first. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function listConsultations(
  db: Queryable,
  scope: UserScope,
  { statuses, page }: Filter,
): Promise<Paged<Consultation>> {
  const values = [...valuesOf(scope), statuses ?? null, page.limit, page.offset]
  return decodeOwnedPage(await db.query<{ total: number }>(LIST, values), 'consultation_id', decode)
}

/** What is sealed of a message. */
export type SealedMessage = {
  content: string
  message_type: MessageBody['message_type']
  sender_display_name: string
}
export type Message = SealedMessage & { id: string; createdAt: string }

/** A page of the messages of a consultation, oldest first (contract 4.9). */
export async function listMessages(
  db: Queryable,
  { userId, id, key }: OwnedConsultation,
  page: Page,
): Promise<Paged<Message>> {
  const rows = await db.query<{ total: number }>(LIST_MESSAGES, [userId, id, page.limit, page.offset])
  return decodePage(rows, 'message_id', (row) => {
    const { sealed, ...message } = MESSAGE.decode(row)
    return { ...unseal<SealedMessage>(key, rowOfMessage(userId, message.id), sealed), ...message }
  })
}

/** What a sealed message is bound to. */
export const rowOfMessage = (userId: string, messageId: string) => `consultation_messages:${userId}:${messageId}`
