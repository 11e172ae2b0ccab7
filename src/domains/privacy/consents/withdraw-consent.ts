import { nextVersion } from '../../../kernel/db/version.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { type Author, type Decision, operation, responding, unchanged } from '../../../record/index.ts'
import { tags } from '../notices/records.ts'
import { type Consent, ConsentPath, ConsentRecord, presentConsent } from './records.ts'
import { consentEvents, consentInPath, WITHDRAW } from './store.ts'

export const withdrawConsent = operation('DELETE /users/:user_id/consents/:consent_id', {
  access: 'withdrawConsent',
  tags,
  summary: 'Withdraw a consent',
  description:
    'Stops what is new for its purpose, where the platform has such a rule; it ends no policy and moves no money. The consent stays in the ' +
    'list with `withdrawn_at`. The event `consent.withdrawn` asks the platform and the person’s benefit providers for what follows from it.',
  params: ConsentPath,
  response: { 200: ConsentRecord },
  problems: ['not_found'],
  target: consentInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ target }, author) => decideWithdrawal(target, author),
  present: (consent) => responding(presentConsent(consent)),
})

/** Decides the withdrawal of a consent; the same again changes nothing. Pure. */
export function decideWithdrawal(
  consent: Consent & { providers: string[] },
  { at }: Pick<Author, 'at'>,
): Decision<Consent> {
  if (consent.withdrawnAt !== null) return unchanged(consent)
  const { userId, id, purpose, dependantId, revision, providers } = consent
  return {
    result: nextVersion({ ...consent, withdrawnAt: wireTime(at) }, at),
    ...WITHDRAW.with({ user_id: userId, consent_id: id, purpose, dependant_id: dependantId, revision, at }),
    events: consentEvents('consent.withdrawn', { consent, providers }),
  }
}
