import { type Static, Type } from 'typebox'
import { actorOf } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { Lines, OneOf, OrNull, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type Author, type Change, type Deps, initialTransition, operation, responding } from '../../../record/index.ts'
import { findCurrentVersions } from '../dependants/index.ts'
import { ensureUserInPath, findUser, UserPath } from '../users/index.ts'
import { DEPENDANT_CONCERNED, presentRightsRequest, type RightsRequest, RightsRequestRecord, tags } from './records.ts'
import { RIGHTS_KINDS, RIGHTS_MACHINE, type RightsKind } from './states.ts'
import { insertRequest, REQUEST_TEXT } from './store.ts'

const TEXT_MAX = 4_000
/** Rule 14(3): what a platform may take for a grievance, and what holds for the others where it has published nothing. */
const DAYS_MAX = 90

const RightsRequestInput = Type.Object(
  {
    kind: OneOf(RIGHTS_KINDS, { description: 'The right that it exercises' }),
    dependant_id: OrNull(Text({ maxLength: 100, description: DEPENDANT_CONCERNED })),
    text: Lines({ maxLength: TEXT_MAX, description: 'What the person asks for; kept encrypted' }),
  },
  { examples: [{ kind: 'CORRECTION', text: 'My family name is misspelt on the card.' }] },
)

export const createRightsRequest = operation('POST /users/:user_id/rights_requests', {
  access: 'createRightsRequest',
  tags,
  summary: 'Ask the platform by the law on personal data',
  description:
    'Records what a person asks for: access, correction, erasure, a nomination, or a grievance. It is RECEIVED, and due within the platform’s ' +
    '`response_days`: 90 unless it set another number, and never more for a grievance. The request itself changes nothing else.',
  params: UserPath,
  body: RightsRequestInput,
  response: { 201: RightsRequestRecord },
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, params, body }, author) => decide(deps, { userId: params.user_id, input: body }, author),
  present: (request) => responding(presentRightsRequest(request), 201),
})

type Command = { userId: string; input: Static<typeof RightsRequestInput> }

async function decide(deps: Deps, { userId, input }: Command, author: Author): Promise<Change<RightsRequest>> {
  const user = await findUser(deps.db, deps.vault, scopeOnUser(author.caller, userId))
  const dependantId = await findDependantId(deps, user.id, input.dependant_id ?? null)
  const id = newId('rrq')
  const { key, platformId } = user
  const days = deps.consentRules.rulesOf(platformId)?.response_days
  const change = insertRequest(
    {
      id,
      userId: user.id,
      kind: input.kind,
      dependantId,
      state: 'RECEIVED',
      dueOn: dueOn(input.kind, { today: todayIn(deps.calendar), days }),
      platformId,
      textSealed: REQUEST_TEXT.seal(key, { userId: user.id, id }, input.text),
      actor: actorOf(author.caller),
    },
    author.at,
  )
  const request = { ...change.result, text: input.text, reason: null }
  return {
    ...change,
    result: request,
    ...initialTransition(RIGHTS_MACHINE, { ...request, key, status: request.state }),
  }
}

/** Returns by when a platform responds that has published a term of so many days. Pure. */
export function dueOn(kind: RightsKind, { today, days = DAYS_MAX }: { today: Day; days: number | undefined }): Day {
  return addDays(today, kind === 'GRIEVANCE' ? Math.min(days, DAYS_MAX) : days)
}

/** Returns the current version of the dependant. Throws 422 for one that the user does not have. */
async function findDependantId({ db }: Deps, userId: string, version: string | null): Promise<string | null> {
  if (version === null) return null
  const current = (await findCurrentVersions(db, userId, [version])).get(version)
  if (!current) throw invalid([unknownReference('/dependant_id', 'The user has no dependant with this id.')])
  return current.id
}
