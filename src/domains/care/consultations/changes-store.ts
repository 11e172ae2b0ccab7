import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import {
  type ChangesOrder,
  changesText,
  type ChangesValues,
  orderedValues,
  ownParameter,
} from '../../../kernel/db/changes-text.ts'
import { columns, decoded, flag, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { CONSULTATION_STATUSES } from './states.ts'

/** What a list of all users' consultations shows of each, with the names of its record: nothing that was said. */
const LISTED = columns('s', {
  id: text('consultation_id'),
  user_id: decoded('user_id', decodeUserId),
  benefit_provider_id: text('benefit_provider_id'),
  status: oneOf('status', CONSULTATION_STATUSES),
  awaitsProvider: flag('awaits_provider'),
  last_message_at: nullable(time('last_message_at')),
  created_at: time('created_at'),
  last_modified_at: time('last_modified_at'),
})
const OWNER = columns('u', { platform_id: text('platform_id') })
const PROVIDER = columns('b', { provider: text('code') })

const IS_UNANSWERED = ownParameter(0)
const PLATFORM = ownParameter(1)
const PROVIDER_ID = ownParameter(2)

const CHANGED_AT = 'greatest(s.last_modified_at, s.last_message_at)'

/** One statement for each index, because one plan could not serve all. */
const changesList = (name: string, led: string, order: { since?: string }) =>
  statement(
    `consultations_${name}`,
    changesText({
      columns: LISTED.list,
      joined: `${OWNER.list}, ${PROVIDER.list}`,
      from: 'consultations s',
      join: `${joinUserText('s')} join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id`,
      changedAt: CHANGED_AT,
      ...order,
      id: 's.consultation_id',
      state: 's.status',
      states: CONSULTATION_STATUSES,
      where: `${led}(not ${IS_UNANSWERED}::boolean or (s.awaits_provider and s.status = 'OPEN'))
         and ${isOwn(PLATFORM, 's.platform_id')} and ${isOwn(PROVIDER_ID, 's.benefit_provider_id')}`,
    }),
  )

const listsIn = (name: string, order: { since?: string }) => ({
  all: changesList(name, '', order),
  ofPlatform: changesList(`${name}_of_platform`, `s.platform_id = ${PLATFORM} and `, order),
  ofProvider: changesList(`${name}_of_provider`, `s.benefit_provider_id = ${PROVIDER_ID} and `, order),
})
const NEWEST = listsIn('changed', {})
const OLDEST = listsIn('oldest', { since: CHANGED_AT })

type ConsultationFilter = ChangesValues & ChangesOrder & { isUnanswered: boolean; scope: Scope }

function statementFor({ scope: { platformId, providerId }, isOldestFirst }: ConsultationFilter): Statement {
  const { all, ofPlatform, ofProvider } = isOldestFirst ? OLDEST : NEWEST
  if (providerId !== null) return ofProvider
  return platformId === null ? all : ofPlatform
}

/** Returns consultations of all users in scope, last change or message first. */
export async function listChangedConsultations(db: Queryable, filter: ConsultationFilter) {
  const { scope, isUnanswered } = filter
  const values = [...orderedValues(filter), isUnanswered, scope.platformId, scope.providerId]
  const rows = await db.query<object>(statementFor(filter), values)
  return rows.map((row) => ({
    ...LISTED.decode(row),
    ...OWNER.decode(row),
    ...PROVIDER.decode(row),
    ...CHANGED.decode(row),
  }))
}
