import { Type } from 'typebox'
import { requireConsent } from '../../../access/consent-rules.ts'
import { LINKED_PROVIDERS, userScopeFrom, type UserScope } from '../../../access/scope.ts'
import { startOfDay, todayIn } from '../../../kernel/clock.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { invalid, limitReached, unknownReference } from '../../../kernel/problem-error.ts'
import { type Author, type Change, created, type Deps, initialTransition, operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { type Consultation, ConsultationRecord, tags, versionOf } from './records.ts'
import { CONSULTATION_MACHINE } from './states.ts'
import { findParties, insert } from './store.ts'

export const openConsultation = operation('POST /users/:user_id/consultations', {
  access: 'createConsultation',
  tags,
  summary: 'Open a consultation',
  description:
    'A new consultation is OPEN. Benefit providers may open only their own, with users they insure or treat. A ' +
    'user can have a limited number of open consultations, 20 by default, and of new ones a day, 50 by default.',
  params: UserPath,
  body: Type.Object(
    { benefit_provider_id: Text({ maxLength: 100 }) },
    { examples: [{ benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2' }] },
  ),
  versioned: true,
  response: { 201: ConsultationRecord },
  problems: ['conflict'],
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => `consultations:${params.user_id}`, // concurrent calls would pick the same slot
  change: ({ deps, request, body }, author) =>
    decideConsultation(deps, userScopeFrom(request), body.benefit_provider_id, author),
  present: (consultation, { request }) => created(createLocation(request, consultation.id), versionOf(consultation)),
})

/**
 * Throws 404, 422 when the provider does not exist or is not the caller, 409 `conflict` at the limit of open
 * consultations or of those of a day.
 */
async function decideConsultation(
  deps: Deps,
  scope: UserScope,
  benefitProviderId: string,
  { at, caller }: Author,
): Promise<Change<Consultation>> {
  const { limits } = deps
  const since = startOfDay(todayIn({ now: () => at }))
  const { provider, slots, today, ...owner } = await findParties(deps, scope, { benefitProviderId, since })
  if (provider === null) throw invalid([unknownReference('/benefit_provider_id', 'No benefit provider has this id.')])
  if (today >= limits.consultationsADay) {
    throw limitReached(`A user can begin at most ${limits.consultationsADay} consultations a day. Try again tomorrow.`)
  }
  const slot = freeSlot(slots, limits.openConsultations)
  if (slot === undefined) {
    throw limitReached(`A user can have at most ${limits.openConsultations} open consultations. Close one first.`)
  }
  const { userId } = scope
  await requireConsent(deps, 'createConsultation', { userId, platformId: owner.platformId, at })
  const change = insert({ id: newId('con'), userId, benefitProviderId, provider, status: 'OPEN' }, at, {
    platform_id: owner.platformId,
    slot,
    awaits_provider: caller.kind !== 'provider',
  })
  return {
    ...change,
    rows: LINKED_PROVIDERS.rows([{ user_id: userId, benefit_provider_id: benefitProviderId }]),
    ...initialTransition(CONSULTATION_MACHINE, { ...change.result, ...owner }),
  }
}

/** Returns the first free slot, undefined when the limit is reached, whichever slots are used. */
function freeSlot(used: readonly number[], max: number): number | undefined {
  if (used.length >= max) return undefined
  return Array.from({ length: max }, (_, index) => index + 1).find((slot) => !used.includes(slot))
}
