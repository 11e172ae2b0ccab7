import { scopeOf } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { type By, type Decision, type StatusRequest, transition, unchanged } from '../../../record/index.ts'
import { versionOf } from './present.ts'
import { SPONSOR_MACHINE, type SponsorStatus } from './states.ts'
import { findSponsor, type Sponsor, UPDATE_SPONSOR } from './store.ts'

type StatusInput = StatusRequest<SponsorStatus> & { sponsorId: string }

/** Decides a change of a sponsor's status. Throws 404, 409 `invalid_state`, 412. */
export async function setSponsorStatus(
  { db, vault }: { db: Queryable; vault: Vault },
  { sponsorId, status, reason, ifMatch }: StatusInput,
  by: By,
): Promise<Decision<Sponsor>> {
  const sponsor = await findSponsor(db, vault, scopeOf(by.caller), sponsorId)
  checkFresh(ifMatch, () => versionOf(sponsor))
  if (sponsor.status === status) return unchanged(sponsor)
  const { history, events } = transition(SPONSOR_MACHINE, sponsor, { to: status, who: by.caller.kind, reason })
  return {
    result: { ...nextVersion(sponsor, by.at), status },
    write: UPDATE_SPONSOR,
    values: [sponsor.id, sponsor.revision, status, null, by.at],
    history,
    events,
  }
}
