import { isDeepStrictEqual } from 'node:util'
import { scopeOf } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { type By, type Decision, newEvent, transition, unchanged } from '../../../record/index.ts'
import { presentSponsor, versionOf } from './present.ts'
import type { SponsorPatch } from './schemas.ts'
import { SPONSOR_MACHINE } from './states.ts'
import { findSponsor, PROFILE, type Sponsor, type SponsorProfile, UPDATE_SPONSOR } from './store.ts'

type PatchInput = { sponsorId: string; patch: SponsorPatch; ifMatch: string | undefined }

/** Decides an update of the fields that were sent (contract 4.3). Throws 404, 412. */
export async function updateSponsor(
  { db, vault }: { db: Queryable; vault: Vault },
  { sponsorId, patch, ifMatch }: PatchInput,
  by: By,
): Promise<Decision<Sponsor>> {
  const sponsor = await findSponsor(db, vault, scopeOf(by.caller), sponsorId)
  checkFresh(ifMatch, () => versionOf(sponsor))
  return changeSponsor(sponsor, patch, by)
}

/**
 * Decides an update of a loaded sponsor. A new PAN or kind puts an ACTIVE one back to PENDING, for every caller.
 */
export function changeSponsor(sponsor: Sponsor, patch: SponsorPatch, by: By): Decision<Sponsor> {
  const profile: SponsorProfile = { ...sponsor.profile, ...fieldsOf(patch) }
  if (isDeepStrictEqual(presentSponsor({ ...sponsor, profile }), presentSponsor(sponsor))) return unchanged(sponsor)
  const status = sponsor.status === 'ACTIVE' && needsReview(sponsor.profile, profile) ? 'PENDING' : sponsor.status
  const recorded =
    status === sponsor.status ? undefined : transition(SPONSOR_MACHINE, sponsor, { to: status, who: 'system' })
  const { id, platformId } = sponsor
  return {
    result: { ...nextVersion(sponsor, by.at), profile, status },
    write: UPDATE_SPONSOR,
    values: [id, sponsor.revision, status, PROFILE.seal(sponsor.key, { id }, profile), by.at],
    history: recorded?.history ?? [],
    events: [newEvent('sponsor.updated', { platformId, data: { sponsor_id: id } }), ...(recorded?.events ?? [])],
  }
}

function fieldsOf({ address, name, pan, sponsor_details }: SponsorPatch): Partial<SponsorProfile> {
  return {
    ...(address && { address }),
    ...(name !== undefined && { name }),
    ...(pan !== undefined && { pan: pan.trim() }),
    ...(sponsor_details && { sponsor_details }),
  }
}

const needsReview = (before: SponsorProfile, after: SponsorProfile) =>
  before.pan !== after.pan || before.sponsor_details.sponsor_kind !== after.sponsor_details.sponsor_kind
