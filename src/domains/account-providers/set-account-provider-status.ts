import type { Queryable } from '../../kernel/db/database.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { type By, type Decision, type StatusRequest, transition, unchanged } from '../../record/index.ts'
import { versionOf } from './present.ts'
import { ACCOUNT_PROVIDER_MACHINE, type AccountProviderStatus, subjectOf } from './states.ts'
import { type AccountProvider, findAccountProvider, SET_ACCOUNT_PROVIDER_STATUS } from './store.ts'

type StatusInput = StatusRequest<AccountProviderStatus> & { providerId: string }

/** Decides a change of an account provider's status; an inactive one gets no new accounts. Throws 404, 412. */
export async function setAccountProviderStatus(
  db: Queryable,
  { providerId, status, reason, ifMatch }: StatusInput,
  by: By,
): Promise<Decision<AccountProvider>> {
  const provider = await findAccountProvider(db, providerId)
  checkFresh(ifMatch, () => versionOf(provider))
  if (provider.status === status) return unchanged(provider)
  const { history, events } = transition(ACCOUNT_PROVIDER_MACHINE, subjectOf(provider), {
    to: status,
    who: by.caller.kind,
    reason,
  })
  return {
    result: { ...nextVersion(provider, by.at), status },
    write: SET_ACCOUNT_PROVIDER_STATUS,
    values: [provider.id, provider.revision, status, by.at],
    history,
    events,
  }
}
