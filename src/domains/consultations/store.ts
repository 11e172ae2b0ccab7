import { isOwn, userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { onlyRow, type Queryable, statement, type Tx, type WireTime } from '../../kernel/db/database.ts'
import { decodeUserId, decoderOf, type UserId } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import { notFound } from '../../kernel/refusal.ts'
import type { MessageBody } from './schemas.ts'
import { CONSULTATION_STATUSES, type ConsultationStatus } from './states.ts'

export type Consultation = {
  id: string
  userId: UserId
  platformId: string
  key: DataKey
  benefitProviderId: string
  provider: string
  status: ConsultationStatus
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  user_id: string
  platform_id: string
  data_key: string
  consultation_id: string
  benefit_provider_id: string
  code: string
  status: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS =
  's.consultation_id, s.benefit_provider_id, b.code, s.status, s.revision, s.created_at, s.last_modified_at'

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })
const OWN = isOwn('$3', 's.benefit_provider_id')

const INSERT = statement(
  'consultations_insert',
  `insert into consultations (user_id, consultation_id, benefit_provider_id, status) values ($1, $2, $3, 'OPEN')`,
)

const findText = (lock: string) => `
  select u.user_id, u.platform_id, u.data_key, ${COLUMNS}
    from users u
    join consultations s on s.user_id = u.user_id and s.consultation_id = $4 and ${OWN}
    join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id
   where u.user_id = $1 and ${IN_SCOPE} ${lock}`

const FIND = statement('consultations_find', findText(''))

const LOCK = statement('consultations_lock', findText('for no key update of s'))

const FILTER = `s.user_id = u.user_id and ${OWN} and ($4::text[] is null or s.status = any ($4))`

const LIST = statement(
  'consultations_list',
  `select u.user_id, u.platform_id, u.data_key, t.total, page.*
     from users u
    cross join lateral (select count(*)::int as total from consultations s where ${FILTER}) t
     left join lateral (
       select ${COLUMNS}
         from consultations s
         join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id
        where ${FILTER}
        order by s.created_at desc, s.consultation_id desc
        limit $5 offset $6) page on true
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const SET_STATUS = statement(
  'consultations_set_status',
  `update consultations
      set status = $3, revision = revision + 1, last_modified_at = now()
    where user_id = $1 and consultation_id = $2
   returning revision, last_modified_at`,
)

const INSERT_MESSAGE = statement(
  'consultation_messages_insert',
  `insert into consultation_messages (user_id, consultation_id, message_id, sealed)
   values ($1, $2, $3, $4)
   returning created_at`,
)

const LIST_MESSAGES = statement(
  'consultation_messages_list',
  `select t.total, page.*
     from (select count(*)::int as total from consultation_messages where user_id = $1 and consultation_id = $2) t
     left join lateral (
       select message_id, sealed, created_at
         from consultation_messages
        where user_id = $1 and consultation_id = $2
        order by created_at, message_id
        limit $3 offset $4) page on true`,
)

/** Returns its id. */
export async function insertConsultation(
  tx: Tx,
  { userId, benefitProviderId }: { userId: string; benefitProviderId: string },
): Promise<string> {
  const id = newId('con')
  await tx.query(INSERT, [userId, id, benefitProviderId])
  return id
}

/** Refuses with 404 when the consultation is not in the caller's scope. */
export async function findConsultation(
  db: Queryable,
  vault: Vault,
  scope: UserScope,
  id: string,
): Promise<Consultation> {
  return decodeFound(await db.query<Row>(FIND, [scope.userId, scope.platformId, scope.providerId, id]), vault)
}

/** Reads the consultation and holds it until the transaction ends; 404 when it is not in the caller's scope. */
export async function lockConsultation(tx: Tx, vault: Vault, scope: UserScope, id: string): Promise<Consultation> {
  return decodeFound(await tx.query<Row>(LOCK, [scope.userId, scope.platformId, scope.providerId, id]), vault)
}

type Filter = { statuses: ConsultationStatus[] | undefined; page: Page }

/** Refuses with 404 when the user is not in the caller's scope. */
export async function listConsultations(
  db: Queryable,
  vault: Vault,
  scope: UserScope,
  { statuses, page }: Filter,
): Promise<Paged<Consultation>> {
  const values = [scope.userId, scope.platformId, scope.providerId, statuses ?? null, page.limit, page.offset]
  const rows = await db.query<Row & { total: number }>(LIST, values)
  if (!rows[0]) throw notFound()
  return decodePage(rows, 'consultation_id', (row) => decode(row, vault))
}

export async function setConsultationStatus(
  tx: Tx,
  consultation: Consultation,
  status: ConsultationStatus,
): Promise<Consultation> {
  type Changed = { revision: number; last_modified_at: WireTime }
  const changed = onlyRow(await tx.query<Changed>(SET_STATUS, [consultation.userId, consultation.id, status]))
  return { ...consultation, status, revision: changed.revision, lastModifiedAt: changed.last_modified_at }
}

type SealedMessage = { content: string; message_type: MessageBody['message_type']; sender_display_name: string }
export type Message = SealedMessage & { id: string; createdAt: WireTime }

export async function insertMessage(
  tx: Tx,
  { userId, id, key }: Consultation,
  message: SealedMessage,
): Promise<Message> {
  const messageId = newId('msg')
  const sealed = seal(key, rowOf(userId, messageId), message)
  const { created_at: createdAt } = onlyRow(
    await tx.query<{ created_at: WireTime }>(INSERT_MESSAGE, [userId, id, messageId, sealed]),
  )
  return { ...message, id: messageId, createdAt }
}

export async function listMessages(
  db: Queryable,
  { userId, id, key }: Consultation,
  page: Page,
): Promise<Paged<Message>> {
  type MessageRow = { message_id: string; sealed: string; created_at: WireTime; total: number }
  const rows = await db.query<MessageRow>(LIST_MESSAGES, [userId, id, page.limit, page.offset])
  return decodePage(rows, 'message_id', ({ message_id, sealed, created_at }) => ({
    ...unseal<SealedMessage>(key, rowOf(userId, message_id), sealed),
    id: message_id,
    createdAt: created_at,
  }))
}

const rowOf = (userId: string, messageId: string) => `consultation_messages:${userId}:${messageId}`

function decodeFound([row]: Row[], vault: Vault): Consultation {
  if (!row) throw notFound()
  return decode(row, vault)
}

const decodeStatus = decoderOf(CONSULTATION_STATUSES, 'consultation status')

function decode(row: Row, vault: Vault): Consultation {
  return {
    id: row.consultation_id,
    userId: decodeUserId(row.user_id),
    platformId: row.platform_id,
    key: vault.open(row.data_key),
    benefitProviderId: row.benefit_provider_id,
    provider: row.code,
    status: decodeStatus(row.status),
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
