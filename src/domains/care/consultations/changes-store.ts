import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { changesText, type ChangesValues, changesValues, ownParameter } from '../../../kernel/db/changes-text.ts'
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

/** One statement for each index, because one plan could not serve all. */
const changesList = (name: string, led: string) =>
  statement(
    `consultations_changed${name}`,
    changesText({
      columns: LISTED.list,
      joined: `${OWNER.list}, ${PROVIDER.list}`,
      from: 'consultations s',
      join: `${joinUserText('s')} join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id`,
      changedAt: 'greatest(s.last_modified_at, s.last_message_at)',
      id: 's.consultation_id',
      state: 's.status',
      states: CONSULTATION_STATUSES,
      where: `${led}(not ${IS_UNANSWERED}::boolean or (s.awaits_provider and s.status = 'OPEN'))
         and ${isOwn(PLATFORM, 's.platform_id')} and ${isOwn(PROVIDER_ID, 's.benefit_provider_id')}`,
    }),
  )

const ALL = changesList('', '')
const OF_PLATFORM = changesList('_of_platform', `s.platform_id = ${PLATFORM} and `)
const OF_PROVIDER = changesList('_of_provider', `s.benefit_provider_id = ${PROVIDER_ID} and `)

type ConsultationFilter = ChangesValues & { isUnanswered: boolean; scope: Scope }

function statementFor({ platformId, providerId }: Scope): Statement {
  if (providerId !== null) return OF_PROVIDER
  return platformId === null ? ALL : OF_PLATFORM
}

/** Returns consultations of all users in scope, last change or message first. */
export async function listChangedConsultations(db: Queryable, filter: ConsultationFilter) {
  const { scope, isUnanswered } = filter
  const values = [...changesValues(filter), isUnanswered, scope.platformId, scope.providerId]
  const rows = await db.query<object>(statementFor(scope), values)
  return rows.map((row) => ({
    ...LISTED.decode(row),
    ...OWNER.decode(row),
    ...PROVIDER.decode(row),
    ...CHANGED.decode(row),
  }))
}
