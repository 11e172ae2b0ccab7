import {
  PROVIDERS_PART,
  isOwn,
  SCOPE_PARAMETERS,
  scopeValues,
  userIsInScope,
  type UserScope,
} from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { columns, decoded, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { sharedRead } from '../../../kernel/batching/shared-read.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { firstIdAt } from '../../../kernel/id.ts'
import type { Day } from '../../../kernel/date.ts'
import { recordedWrite } from '../../../record/index.ts'
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

/** A consultation with the fields of its user that transitions need. */
export type OwnedConsultation = Consultation & { platformId: string; key: DataKey }

const IN_SCOPE = userIsInScope({ user: '$1', platform: '$2', provider: '$3' })
const OWN = isOwn('$3', 's.benefit_provider_id')

const FIND_PARAMETERS = `${SCOPE_PARAMETERS}, consultation_id text`

function findText(calls: string, scope: readonly string[], extraColumns = ''): string {
  const [user = '', platform = '', provider = '', consultation = ''] = scope
  return `select c.n::int, ${CONSULTATION.list}, ${PROVIDER.list}, u.platform_id, u.data_key ${extraColumns}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
     join consultations s on s.user_id = ${user} and s.consultation_id = ${consultation}
      and ${isOwn(provider, 's.benefit_provider_id')}
     join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id`
}

const FIND = sharedRead<OwnerRow>({
  name: 'consultations_find',
  parameters: FIND_PARAMETERS,
  text: (calls, ...scope) => findText(calls, scope),
})

/**
 * Returns SQL: true when the counter `w` is for this day, or for the next, which a node with a fast clock may have
 * begun.
 */
const isCounterOf = (day: string) => `w.day between ${day} and ${day} + 1`

const FIND_TO_WRITE = sharedRead<OwnerRow & SenderRow>({
  name: 'consultations_find_to_write',
  parameters: `${FIND_PARAMETERS}, day date`,
  text: (calls, ...[user = '', platform = '', provider = '', consultation = '', day = '']) =>
    findText(
      calls,
      [user, platform, provider, consultation],
      `, u.sealed as profile, b.name as provider_name,
          (select l.name from platforms l where l.platform_id = u.platform_id) as platform_name,
          (select w.written from message_counts w where w.user_id = ${user} and ${isCounterOf(day)}) as written_today`,
    ),
})

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
 * `$1` to `$6`: a new consultation. From then on the benefit provider can see the user. Aborts when a concurrent call
 * took the slot; the next attempt reads again and finds a free one, or none.
 */
export const INSERT_CONSULTATION = recordedWrite({
  name: 'consultations_insert',
  one: `insert into consultations (user_id, consultation_id, benefit_provider_id, status, slot, created_at,
               last_modified_at)
        values ($1, $2, $3, $4, $5, $6, $6)
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
 * Returns SQL that counts and inserts the messages in `source`, at most `max` a day for a user. Null days are not
 * counted.
 */
const countAndInsert = (source: string, max: string) => `counted as (
       insert into message_counts as w (user_id, day, written)
       select user_id, day, 1 from ${source} where day is not null order by user_id
           on conflict (user_id) do update
              set day = case when ${isCounterOf('excluded.day')} then w.day else excluded.day end,
                  written = case when ${isCounterOf('excluded.day')} then w.written + 1 else 1 end
            where not ${isCounterOf('excluded.day')} or w.written < ${max}
       returning user_id
     ), inserted as (
       insert into consultation_messages (user_id, consultation_id, message_id, sealed, created_at)
       select user_id, consultation_id, message_id, sealed, at
         from ${source} o
        where day is null or exists (select from counted k where k.user_id = o.user_id)
        order by user_id
       returning message_id
     ), changed as (select n from ${source} join inserted using (message_id))`

/**
 * Inserts a message. Locks the consultation, so that it cannot be closed meanwhile; inserts nothing into a closed one.
 * `$6` and `$7`: the day, null for senders without a limit, and the user's limit for it. A batch has at most one call
 * of a user.
 */
export const INSERT_MESSAGE = recordedWrite({
  name: 'consultation_messages_insert',
  one: `opened as (
       select 1 as n, user_id, consultation_id, $3::text as message_id, $4::text as sealed, $5::timestamptz as at,
              $6::date as day
         from consultations
        where user_id = $1 and consultation_id = $2 and status = 'OPEN'
          for share
     ), ${countAndInsert('opened', '$7::int')}`,
  many: {
    columns: `user_id text, consultation_id text, message_id text, sealed text, at timestamptz, day date, most int`,
    text: `opened as (
       select c.n, c.user_id, c.consultation_id, c.message_id, c.sealed, c.at, c.day
         from calls c
         join consultations t on t.user_id = c.user_id and t.consultation_id = c.consultation_id and t.status = 'OPEN'
          for share of t skip locked
     ), ${countAndInsert('opened', '(select min(c.most) from calls c)')}`,
  },
})

/** Deletes every conversation of the user `$1`. */
export const ERASE_CONSULTATIONS = statement(
  'consultations_erase',
  `with messages as (delete from consultation_messages where user_id = $1),
        counts as (delete from message_counts where user_id = $1)
   delete from consultations where user_id = $1`,
)

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

type Context = { db: Database; vault: Vault }
type OwnerRow = { platform_id: string; data_key: string }
type SenderRow = { profile: string; platform_name: string; provider_name: string; written_today: number | null }

const decode = (row: object): Consultation => ({ ...CONSULTATION.decode(row), ...PROVIDER.decode(row) })

const decodeOwned = (row: OwnerRow, vault: Vault): OwnedConsultation => ({
  ...decode(row),
  platformId: row.platform_id,
  key: vault.open(row.data_key),
})

/** Returns a consultation in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findConsultation(
  { db, vault }: Context,
  scope: UserScope,
  id: string,
): Promise<OwnedConsultation> {
  const row = foundRow(await FIND(db, [...scopeValues(scope), id]))
  return decodeOwned(row, vault)
}

/** The names of everyone who may write in a consultation; the user's is in the sealed profile. */
export type SenderNames = { sealedProfile: string; platformName: string; providerName: string }

type ConsultationToWrite = { consultation: OwnedConsultation; names: SenderNames; writtenToday: number }

/**
 * Returns a consultation in the caller's scope, with the names of its senders and the number of messages the user has
 * written on the day. Throws 404 `not_found` when there is none.
 */
export async function findToWrite(
  { db, vault }: Context,
  scope: UserScope,
  { id, day }: { id: string; day: Day },
): Promise<ConsultationToWrite> {
  const row = foundRow(await FIND_TO_WRITE(db, [...scopeValues(scope), id, day]))
  const names = { sealedProfile: row.profile, platformName: row.platform_name, providerName: row.provider_name }
  return { consultation: decodeOwned(row, vault), names, writtenToday: row.written_today ?? 0 }
}

/**
 * The user, the code of the benefit provider (undefined when it does not exist or is not the caller), and the slots of
 * open consultations.
 */
export type Parties = { platformId: string; key: DataKey; provider: string | undefined; slots: number[]; today: number }

/** Returns the parties of a new consultation. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findParties(
  { db, vault }: Context,
  scope: UserScope,
  { benefitProviderId, since }: { benefitProviderId: string; since: Date },
): Promise<Parties> {
  type Row = OwnerRow & { code: string | null; slots: number[]; today: number }
  const values = [...scopeValues(scope), benefitProviderId, firstIdAt('con', since)]
  const row = foundRow(await db.query<Row>(FIND_PARTIES, values))
  const owner = { platformId: row.platform_id, key: vault.open(row.data_key) }
  return { ...owner, provider: row.code ?? undefined, slots: row.slots, today: row.today }
}

type Filter = { statuses: ConsultationStatus[] | undefined; page: Page }

/** Returns a page of a user's consultations, newest first. Throws 404 `not_found` when the user is not in scope. */
export async function listConsultations(
  db: Queryable,
  scope: UserScope,
  { statuses, page }: Filter,
): Promise<Paged<Consultation>> {
  const values = [...scopeValues(scope), statuses ?? null, page.limit, page.offset]
  return decodeOwnedPage(await db.query<{ total: number }>(LIST, values), 'consultation_id', decode)
}

/** The encrypted part of a message. */
export type SealedMessage = {
  content: string
  message_type: MessageBody['message_type']
  sender_display_name: string
}
export type Message = SealedMessage & { id: string; createdAt: string }

/** Returns a page of the messages of a consultation, oldest first (contract 4.9). */
export async function listMessages(
  db: Queryable,
  { userId, id, key }: OwnedConsultation,
  page: Page,
): Promise<Paged<Message>> {
  const rows = await db.query<{ total: number }>(LIST_MESSAGES, [userId, id, page.limit, page.offset])
  return decodePage(rows, 'message_id', (row) => {
    const { sealed, ...message } = MESSAGE.decode(row)
    const at = { userId, consultationId: id, messageId: message.id }
    return { ...MESSAGE_TEXT.openOr(key, at, sealed, UNREADABLE_TEXT), ...message }
  })
}

const UNREADABLE_TEXT: SealedMessage = {
  content: UNAVAILABLE,
  message_type: 'TEXT',
  sender_display_name: UNAVAILABLE,
}

type MessageKey = { userId: string; consultationId: string; messageId: string }

/** Bound to its consultation, so that no other one, with another reader, can show it. The first format was not. */
export const MESSAGE_TEXT = sealedColumn<SealedMessage, MessageKey>('consultation_messages.sealed', {
  row: ({ userId, consultationId, messageId }) => `consultation_messages:${userId}:${consultationId}:${messageId}`,
  former: [{ row: ({ userId, messageId }) => `consultation_messages:${userId}:${messageId}` }],
})
