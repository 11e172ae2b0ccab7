import type { Actor } from '../../access/caller.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { findMove } from '../../kernel/state-machine.ts'
import { emit, recordCatalogueMove } from '../events/index.ts'
import { versionOf } from './present.ts'
import type { SponsorPatch } from './schemas.ts'
import { SPONSOR_MOVES, type SponsorStatus } from './states.ts'
import { lockSponsor, type Sponsor, type SponsorProfile, updateSponsorRow } from './store.ts'

type Change = { sponsorId: string; ifMatch: string | undefined; by: Actor }

/** Changes what is sent and keeps the rest (contract 4.3). 404, 412. A new PAN or kind sends an ACTIVE sponsor back to PENDING. */
export async function updateSponsor(
  tx: Tx,
  vault: Vault,
  { sponsorId, ifMatch, by, patch }: Change & { patch: SponsorPatch },
): Promise<Sponsor> {
  const sponsor = await lockFresh(tx, vault, { sponsorId, ifMatch, by })
  const profile: SponsorProfile = { ...sponsor.profile, ...fieldsOf(patch) }
  const status =
    sponsor.status === 'ACTIVE' && mustBeLookedAtAgain(sponsor.profile, profile) ? 'PENDING' : sponsor.status
  if (status !== sponsor.status) {
    findMove(SPONSOR_MOVES, { from: sponsor.status, to: status, who: 'system' })
    await recordCatalogueMove(tx, { entityId: sponsorId, from: sponsor.status, to: status, by })
  }
  return saveAndTell(tx, vault, { ...sponsor, profile, status })
}

type StatusForm = Change & { status: SponsorStatus; reason: string | undefined }

/** Moves a sponsor along its state table. 404, 409 `invalid_state`, 412. */
export async function setSponsorStatus(
  tx: Tx,
  vault: Vault,
  { status, reason, ...change }: StatusForm,
): Promise<Sponsor> {
  const sponsor = await lockFresh(tx, vault, change)
  findMove(SPONSOR_MOVES, { from: sponsor.status, to: status, who: change.by.caller.kind })
  await recordCatalogueMove(tx, {
    entityId: sponsor.id,
    from: sponsor.status,
    to: status,
    by: change.by,
    reason: { text: reason, key: sponsor.key },
  })
  return saveAndTell(tx, vault, { ...sponsor, status })
}

async function lockFresh(tx: Tx, vault: Vault, { sponsorId, ifMatch, by }: Change): Promise<Sponsor> {
  const sponsor = await lockSponsor(tx, vault, scopeOf(by.caller), sponsorId)
  checkFresh(ifMatch, () => versionOf(sponsor))
  return sponsor
}

async function saveAndTell(tx: Tx, vault: Vault, sponsor: Sponsor): Promise<Sponsor> {
  const { id, platformId, status } = sponsor
  await emit(tx, 'sponsor.updated', { platformId, subject: id, data: { sponsor_id: id, status } })
  return updateSponsorRow(tx, vault, sponsor)
}

function fieldsOf({ address, name, pan, sponsor_details }: SponsorPatch): Partial<SponsorProfile> {
  return {
    ...(address && { address }),
    ...(name !== undefined && { name }),
    ...(pan !== undefined && { pan: pan.trim() }),
    ...(sponsor_details && { sponsor_details }),
  }
}

const mustBeLookedAtAgain = (before: SponsorProfile, after: SponsorProfile) =>
  before.pan !== after.pan || before.sponsor_details.sponsor_kind !== after.sponsor_details.sponsor_kind
