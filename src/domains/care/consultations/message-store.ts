import { scopeValues, type UserScope } from '../../../access/scope.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import { day, flag, integer, nullable, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import type { Day } from '../../../kernel/date.ts'
import { type Deps, recordedWrite } from '../../../record/index.ts'
import { type Message, MESSAGE, type OwnedConsultation, type SealedMessage } from './records.ts'
import { decodeOwned, FIND_PARAMETERS, findText, type OwnerRow } from './store.ts'

/**
 * Returns SQL: true when the counter `w` is for this day, or for the next, which a node with a fast clock may have
 * begun.
 */
const isCounterText = (day: string) => `w.day between ${day} and ${day} + 1`

const FIND_TO_WRITE = batchedRead<OwnerRow & SenderNames & { written_today: number | null }>({
  name: 'consultations_find_to_write',
  parameters: `${FIND_PARAMETERS}, day date`,
  text: (calls, ...[user = '', platform = '', provider = '', consultation = '', day = '']) =>
    findText(
      calls,
      [user, platform, provider, consultation],
      `, u.sealed as sealed_profile, b.name as provider_name,
          (select l.name from platforms l where l.platform_id = u.platform_id) as platform_name,
          (select w.written from message_counts w where w.user_id = ${user} and ${isCounterText(day)}) as written_today`,
    ),
})

/**
 * SQL: counts and inserts the messages in `unclosed`, at most `max` a day for a user, and notes at their consultations who
 * wrote. Null days are not counted. `user` says whose the consultation `t` is.
 */
const countAndInsert = ({ max, user }: { max: string; user: string }) => `counted as (
       insert into message_counts as w (user_id, day, written)
       select user_id, day, 1 from unclosed where day is not null order by user_id
           on conflict (user_id) do update
              set day = case when ${isCounterText('excluded.day')} then w.day else excluded.day end,
                  written = case when ${isCounterText('excluded.day')} then w.written + 1 else 1 end
            where not ${isCounterText('excluded.day')} or w.written < ${max}
       returning user_id
     ), inserted as (
       insert into consultation_messages (user_id, consultation_id, message_id, sealed, created_at)
       select user_id, consultation_id, message_id, sealed, at
         from unclosed o
        where day is null or exists (select from counted k where k.user_id = o.user_id)
        order by user_id
       returning message_id
     ), touched as (
       update consultations t
          set last_message_at = o.at, awaits_provider = o.awaits_provider
         from unclosed o
         join inserted using (message_id)
        where ${user} and t.consultation_id = o.consultation_id
     ), changed as (select n from unclosed join inserted using (message_id))`

/**
 * Inserts a message. Locks the consultation, so that it cannot be closed and no other message written concurrently; inserts
 * nothing into a closed one.
 * `day` is null for senders without a limit, `most` the user's limit for it. A batch has at most one call of a user.
 */
export const INSERT_MESSAGE = recordedWrite({
  name: 'consultation_messages_insert',
  values: {
    userId: text('user_id'),
    consultationId: text('consultation_id'),
    id: text('message_id'),
    sealed: text('sealed'),
    at: time('at'),
    day: nullable(day('day')),
    most: integer('most'),
    awaitsProvider: flag('awaits_provider'),
  },
  single: `unclosed as (
       select 1 as n, user_id, consultation_id, :message_id::text as message_id, :sealed::text as sealed,
              :at::timestamptz as at, :day::date as day, :awaits_provider::boolean as awaits_provider
         from consultations
        where user_id = :user_id and consultation_id = :consultation_id and status = 'OPEN'
          for no key update
     ), ${countAndInsert({ max: ':most::int', user: 't.user_id = :user_id' })}`,
  batch: `unclosed as (
       select c.n, c.user_id, c.consultation_id, c.message_id, c.sealed, c.at, c.day, c.awaits_provider
         from calls c
         join consultations t on t.user_id = c.user_id and t.consultation_id = c.consultation_id and t.status = 'OPEN'
          for no key update of t skip locked
     ), ${countAndInsert({ max: '(select min(c.most) from calls c)', user: 't.user_id = o.user_id' })}`,
})

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

/** The names of everyone who may write in a consultation; the user's is in the sealed profile. */
export type SenderNames = { sealed_profile: string; platform_name: string; provider_name: string }

/**
 * Returns a consultation in the caller's scope, with the names of its senders and the number of messages the user has
 * written on the day. Throws 404 `not_found` when there is none.
 */
export async function findToWrite({ db, vault }: Deps, scope: UserScope, { id, day }: { id: string; day: Day }) {
  const row = foundRow(await FIND_TO_WRITE(db, [...scopeValues(scope), id, day]))
  return { consultation: decodeOwned(row, vault), names: row, writtenToday: row.written_today ?? 0 }
}

export async function findMessages(
  db: Queryable,
  { userId, id, key }: OwnedConsultation,
  page: Page,
): Promise<Paged<Message>> {
  const rows = await db.query<{ total: number }>(LIST_MESSAGES, [userId, id, page.limit, page.offset])
  return decodePage(rows, 'message_id', (row) => {
    const { sealed, ...message } = MESSAGE.decode(row)
    const at = { userId, consultationId: id, messageId: message.id }
    return { ...MESSAGE_TEXT.unsealOr(key, at, sealed, UNREADABLE_TEXT), ...message }
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
