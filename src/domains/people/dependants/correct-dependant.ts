import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import { isAdult, requireConsent } from '../../../access/consent-rules.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import {
  type Author,
  changed,
  type Decision,
  type Deps,
  newEvent,
  operation,
  unchanged,
} from '../../../record/index.ts'
import { correctedFields, type LinkedRecords } from '../users/index.ts'
import { hashIdentities } from './hash-identity.ts'
import {
  type Dependant,
  DependantPath,
  DependantRecord,
  FIELD_NAMES,
  fields,
  knownFields,
  newVersion,
  tags,
  versionOf,
} from './records.ts'
import {
  type CorrectionStatements,
  correctionStatements,
  dependantInPath,
  findToCorrect,
  identityConflict,
  newerVersionConflict,
  LINKED_NEXT_VERSION,
  refuseRegistered,
  LINKED_SUPERSEDE,
  toRow,
} from './store.ts'

const DependantPatch = Type.Partial(Type.Object(fields), {
  requiresOneOf: FIELD_NAMES,
  examples: [{ last_name: 'Corrected' }],
})

export const correctDependant = (linked: LinkedRecords) => {
  const correction = correctionStatements(linked)
  return operation('PATCH /users/:user_id/dependants/:dependant_id', {
    access: 'updateDependant',
    versioned: true,
    tags,
    summary: 'Correct a dependant',
    description:
      'Creates a new version with a new id and `previous_version_id`. The previous version leaves the list. A patch ' +
      'without changes creates none. A dependant has a limited number of versions, 100 by default.',
    consumes: ['application/json', 'application/merge-patch+json'],
    params: DependantPath,
    body: DependantPatch,
    response: { 200: DependantRecord },
    problems: ['conflict', 'precondition_failed'],
    checkTargetFirst: dependantInPath,
    serializeBy: ({ params }) => params.user_id,
    change: ({ deps, params, request, body: patch }, author) =>
      decideCorrection(
        { ...deps, ...correction },
        { userId: params.user_id, dependantId: params.dependant_id, ifMatch: request.headers['if-match'], patch },
        author,
      ),
    present: (dependant) => changed(versionOf(dependant)),
  })
}

type Context = Pick<Deps, 'db' | 'vault' | 'calendar' | 'limits' | 'consentRules'> & CorrectionStatements

type Correction = {
  userId: string
  dependantId: string
  ifMatch: string | undefined
  patch: Static<typeof DependantPatch>
}

/** Decides the next version of a dependant, and how its linked records change. A patch without changes creates none. */
export async function decideCorrection(
  { write, propagate, limits, calendar, consentRules, ...context }: Context,
  { userId, dependantId, ifMatch, patch }: Correction,
  author: Author,
): Promise<Decision<Dependant>> {
  const current = await findToCorrect(context, scopeOnUser(author.caller, userId), dependantId)
  const { dependant: previous, versions, linked } = current
  checkFresh(ifMatch, () => versionOf(previous))
  if (previous.supersededAt !== null) throw await newerVersionConflict(context.db, previous)
  const profile = knownFields({ ...previous.profile, ...patch })
  if (isDeepStrictEqual(profile, knownFields(previous.profile))) return unchanged(previous)
  if (versions >= limits.versions) throw limitReached(`A dependant can have at most ${limits.versions} versions.`)

  const { platformId, key, coverRevision } = previous
  const today = todayIn(calendar)
  if (isAdult(previous.profile.date_of_birth, today) && !isAdult(profile.date_of_birth, today)) {
    const { userId } = previous
    await requireConsent({ ...context, calendar, consentRules }, 'updateDependant', {
      userId,
      platformId,
      at: author.at,
    })
  }
  const next = newVersion({ userId: previous.userId, previousVersionId: previous.id, profile }, author.at)
  const fields = correctedFields(previous.profile, profile)
  const propagation = propagate(
    linked,
    { previous, id: next.id, fields },
    {
      today,
      author,
      endorsementDays: limits.endorsementDays,
    },
  )
  const [identity, ...older] = hashIdentities(context.vault, next)
  await refuseRegistered(context.db, { userId: next.userId, identities: older, except: previous.id })
  const data = { user_id: next.userId, dependant_id: next.id, previous_version_id: previous.id }
  return {
    result: next,
    ...write.with({ user_id: next.userId, cover_revision: coverRevision, seen: propagation.seen }),
    rows: {
      ...LINKED_SUPERSEDE.rows([{ dependant_id: previous.id, at: author.at }]),
      ...LINKED_NEXT_VERSION.rows([toRow(next, { key, identity, fields, author })]),
      ...propagation.rows,
    },
    history: propagation.history,
    events: [newEvent('dependant.updated', { platformId, data }), ...propagation.events],
    conflicts: identityConflict(context.db, next.userId, [identity, ...older]),
  }
}
