import { Type } from 'typebox'
import { isAdult, requireConsent } from '../../../access/consent-rules.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type Author, type Change, type Deps, newEvent, operation, responding } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../users/index.ts'
import { hashIdentities, type HashedIdentity } from './hash-identity.ts'
import {
  type Dependant,
  DependantInput,
  DependantRecord,
  example,
  IDENTITY_FIELDS,
  newVersion,
  presentDependant,
  tags,
} from './records.ts'
import { LINKED_DEPENDANTS, findFamily, identityConflict, INSERT_DEPENDANTS, refuseRegistered, toRow } from './store.ts'

const DEPENDANTS_MAX = 50

export const createDependants = operation('POST /users/:user_id/dependants/bulk', {
  access: 'createDependants',
  tags,
  summary: 'Create dependants in bulk',
  description:
    'Creates all or none, and returns them in the order sent. Two entries with equal names and date of birth are ' +
    'an error. A dependant that is already registered is a conflict, as is exceeding the limit per user, 50 by ' +
    'default.',
  params: UserPath,
  body: Type.Object(
    {
      dependants: Type.Array(DependantInput, {
        minItems: 1,
        maxItems: DEPENDANTS_MAX,
        uniqueBy: IDENTITY_FIELDS,
      }),
    },
    { examples: [{ dependants: [example] }] },
  ),
  response: { 201: Type.Object({ data: Type.Array(ref(DependantRecord)) }) },
  problems: ['conflict'],
  bulk: 'dependants',
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, params, body }, author) =>
    decideDependants(deps, { userId: params.user_id, inputs: body.dependants }, author),
  present: (dependants) => responding({ data: dependants.map(presentDependant) }, 201),
})

export async function decideDependants(
  deps: Pick<Deps, 'db' | 'vault' | 'limits' | 'calendar' | 'consentRules'>,
  { userId, inputs }: { userId: string; inputs: DependantInput[] },
  author: Author,
): Promise<Change<Dependant[]>> {
  const { db, vault, limits } = deps
  const scope = scopeOnUser(author.caller, userId)
  const family = await findFamily({ db, vault }, scope)
  if (family.dependants + inputs.length > limits.dependants) {
    throw limitReached(`A user can have at most ${limits.dependants} dependants; ${family.dependants} are registered.`)
  }
  if (inputs.some((input) => !isAdult(input.date_of_birth, todayIn(deps.calendar)))) {
    const { platformId } = family
    await requireConsent(deps, 'createDependants', { userId: scope.userId, platformId, at: author.at })
  }
  const dependants = inputs.map((profile) =>
    newVersion({ userId: scope.userId, previousVersionId: null, profile }, author.at),
  )
  const identities = dependants.map((dependant) => hashIdentities(vault, dependant))
  await refuseRegistered(db, { userId: scope.userId, identities: identities.flatMap(([_newest, ...older]) => older) })
  const rows = dependants.map((dependant, index) =>
    toRow(dependant, { key: family.key, identity: identities[index]?.[0] as HashedIdentity, author }),
  )
  const data = { user_id: scope.userId, dependant_ids: dependants.map(({ id }) => id) }
  return {
    result: dependants,
    ...INSERT_DEPENDANTS.with({ user_id: scope.userId, cover_revision: family.coverRevision }),
    rows: LINKED_DEPENDANTS.rows(rows),
    events: [newEvent('dependants.created', { platformId: family.platformId, data })],
    conflicts: identityConflict(db, scope.userId, identities.flat()),
  }
}
