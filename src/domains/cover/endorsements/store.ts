import type { Caller } from '../../../access/caller.ts'
import { isNotErased, isOwn, type Scope, toScope } from '../../../access/scope.ts'
import type { Day } from '../../../kernel/date.ts'
import { UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import {
  changesText,
  type ChangesValues,
  changesValues,
  dayValues,
  ownParameter,
} from '../../../kernel/db/changes-text.ts'
import { foundRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { type Author, type Call, CHANGED, type Deps, USER_REASON } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { type Endorsement, ENDORSEMENT, type EndorsementPath, type FoundEndorsement } from './records.ts'
import type { PendingEndorsement } from './pending-store.ts'
import { ENDORSEMENT_STATES } from './states.ts'

const [PLATFORM, PROVIDER] = [0, 1].map(ownParameter) as [string, string]
const LED = ownParameter(2)
const [DUE_BEFORE, POLICY] = [3, 4].map(ownParameter) as [string, string]

const FILTERS = `${isOwn(PLATFORM, 'e.platform_id')} and ${isOwn(PROVIDER, 'e.benefit_provider_id')}`

/** The column that an index begins with. */
type Led = 'e.platform_id' | 'e.benefit_provider_id' | 'e.policy_id' | ''

const LIST = {
  columns: ENDORSEMENT.list,
  from: 'policy_endorsements e',
  join: joinUserText('e'),
  changedAt: 'e.last_modified_at',
  id: 'e.endorsement_id',
  state: 'e.state',
} as const

const isLed = (led: Led) => (led ? `${led} = ${LED}` : `${LED}::text is null`)

const changesList = (name: string, led: Led): Statement =>
  statement(
    `policy_endorsements_changed${name}`,
    changesText({ ...LIST, states: ENDORSEMENT_STATES, where: `${isLed(led)} and ${FILTERS}` }),
  )

/** Planned again, because how many are due before a day decides the plan. */
const dueList = (name: string, led: Led): Statement =>
  statement(
    `policy_endorsements_due${name}`,
    changesText({
      ...LIST,
      day: 'e.due_on',
      states: ['REQUESTED'],
      where: `e.due_on < ${DUE_BEFORE}::date and ${isLed(led)} and ${FILTERS} and ${isOwn(POLICY, 'e.policy_id')}`,
    }),
    { replans: true },
  )

const CHANGES = {
  all: changesList('', ''),
  ofPlatform: changesList('_of_platform', 'e.platform_id'),
  ofProvider: changesList('_of_provider', 'e.benefit_provider_id'),
}
const OF_POLICY = changesList('_of_policy', 'e.policy_id')
const DUE = {
  all: dueList('', ''),
  ofPlatform: dueList('_of_platform', 'e.platform_id'),
  ofProvider: dueList('_of_provider', 'e.benefit_provider_id'),
}

type EndorsementFilter = ChangesValues & { scope: Scope; policyId: string | undefined; dueBefore: Day | undefined }

/** Returns endorsements of all users in scope: last change first, or those that are due, the earliest day first. */
export async function listChangedEndorsements(db: Queryable, filter: EndorsementFilter) {
  const { scope, policyId, dueBefore, ...values } = filter
  const { platformId, providerId } = scope
  const lists = dueBefore === undefined ? CHANGES : DUE
  const owned = providerId !== null ? lists.ofProvider : platformId !== null ? lists.ofPlatform : lists.all
  const owner = providerId ?? platformId
  const rows =
    dueBefore !== undefined
      ? await db.query<object>(owned, [
          ...dayValues(values),
          platformId,
          providerId,
          owner,
          dueBefore,
          policyId ?? null,
        ])
      : await db.query<object>(policyId === undefined ? owned : OF_POLICY, [
          ...changesValues(values),
          platformId,
          providerId,
          policyId ?? owner,
        ])
  return rows.map((row) => ({ ...ENDORSEMENT.decode(row), ...CHANGED.decode(row) }))
}

/** The reason of the decision is in the history, where each state is entered once. */
const FIND = statement(
  'policy_endorsements_find',
  `select ${ENDORSEMENT.list}, u.data_key, h.change_id, h.reason
     from policy_endorsements e
     join users u on u.user_id = e.user_id and ${isNotErased('u')}
     left join user_status_changes h
       on h.user_id = e.user_id and h.entity_id = e.endorsement_id and h.to_status = e.state
    where e.endorsement_id = $1 and ${isOwn('$2', 'e.platform_id')} and ${isOwn('$3', 'e.benefit_provider_id')}
      and ($4::text is null or e.user_id = $4)`,
)

type FoundRow = { data_key: string; change_id: string | null; reason: string | null }

type Target = Pick<Call<Deps, typeof EndorsementPath>, 'deps' | 'request' | 'params'>

/** Returns the endorsement in the path. Throws 404 `not_found` when it is not in the caller's scope. */
export async function endorsementInPath({ deps, request, params }: Target): Promise<FoundEndorsement> {
  const endorsement = await findEndorsement(deps, request.caller, params.endorsement_id)
  request.ownerId = endorsement.userId
  return endorsement
}

/** Returns an endorsement by its id. Throws 404 `not_found` when it is not in the caller's scope. */
export async function findEndorsement(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  caller: Caller,
  id: string,
): Promise<FoundEndorsement> {
  const { platformId, providerId } = toScope(caller)
  const userId = 'userId' in caller ? caller.userId : null
  const row = foundRow(await db.query<FoundRow>(FIND, [id, platformId, providerId, userId]))
  const endorsement = ENDORSEMENT.decode(row)
  const { change_id: changeId, reason } = row
  if (reason === null || changeId === null) return { ...endorsement, reason: null }
  const change = { userId: endorsement.userId, entityId: id, changeId }
  return { ...endorsement, reason: USER_REASON.unsealOr(vault.unwrap(row.data_key), change, reason, UNAVAILABLE) }
}

type OfPolicy = { found: { pending: readonly PendingEndorsement[] }; author: Pick<Author, 'caller'> }

/**
 * Returns the endorsement as its policy knew it when that was read: a decision in between is read again, and one after it loses against the
 * revision of the policy.
 */
export async function asOfPolicy(
  deps: Pick<Deps, 'db' | 'vault'>,
  endorsement: FoundEndorsement,
  { found, author }: OfPolicy,
): Promise<FoundEndorsement> {
  const isSame = found.pending.some(({ id, state }) => id === endorsement.id && state === endorsement.state)
  return isSame ? endorsement : findEndorsement(deps, author.caller, endorsement.id)
}

const LIST_OF_USER = statement(
  'policy_endorsements_of_user',
  listText({
    columns: ENDORSEMENT.list,
    from: 'policy_endorsements e',
    where: 'e.user_id = $1',
    order: 'e.endorsement_id desc',
    limit: '$2',
    offset: '$3',
  }),
)

export async function listOfUser(db: Queryable, userId: string, { limit, offset }: Page): Promise<Paged<Endorsement>> {
  const rows = await db.query<{ total: number }>(LIST_OF_USER, [userId, limit, offset])
  return decodePage(rows, 'endorsement_id', ENDORSEMENT.decode)
}

/** Deletes the endorsements of the erased user `$1`. */
export const ERASE_ENDORSEMENTS = statement(
  'policy_endorsements_erase',
  'delete from policy_endorsements where user_id = $1',
)
