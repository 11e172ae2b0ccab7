import assert from 'node:assert/strict'
import type { Actor, Caller } from '../../access/caller.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { type Fault, foundOrUndefined, invalid, unknownReference } from '../../kernel/refusal.ts'
import { emit, recordCatalogueMove } from '../events/index.ts'
import { findPlatform } from '../platforms/index.ts'
import type { SponsorForm } from './schemas.ts'
import { insertSponsor, type Sponsor } from './store.ts'

/** Creates a sponsor of the calling platform, or of the one an administrator names. It starts PENDING. */
export async function createSponsor(
  tx: Tx,
  vault: Vault,
  { form, by }: { form: SponsorForm; by: Actor },
): Promise<Sponsor> {
  const { platform_id: named, ...profile } = form
  const platformId = by.caller.kind === 'platform' ? by.caller.platformId : await existingPlatform(tx, named)
  const id = newId('spn')
  const sponsor = await insertSponsor(tx, vault, {
    id,
    platformId,
    slug: slugOf(id, profile),
    profile: { ...profile, pan: profile.pan.trim() },
  })
  await recordCatalogueMove(tx, { entityId: id, from: null, to: sponsor.status, by })
  await emit(tx, 'sponsor.updated', { platformId, subject: id, data: { sponsor_id: id, status: sponsor.status } })
  return sponsor
}

async function existingPlatform(tx: Tx, id: string | undefined): Promise<string> {
  assert(id !== undefined, 'missingPlatform has looked')
  const platform = await foundOrUndefined(findPlatform(tx, id))
  if (!platform) throw invalid([unknownReference('/platform_id', 'There is no such platform.')])
  return platform.id
}

/** An administrator has no platform of its own, so it must name one. */
export function missingPlatform({ caller, body }: { caller: Caller; body: unknown }): Fault[] {
  if (caller.kind === 'platform' || (body as { platform_id?: unknown } | undefined)?.platform_id !== undefined)
    return []
  return [
    { pointer: '/platform_id', code: 'required', detail: 'Must be there when an administrator creates a sponsor.' },
  ]
}

const SLUG_NAME_MAX = 60
const SLUG_TAIL = 8

/** The name of an organisation made fit for an address; a person's name stays out of it, because a slug is not sealed. */
function slugOf(id: string, { name, sponsor_details }: Pick<SponsorForm, 'name' | 'sponsor_details'>): string {
  const words = sponsor_details.sponsor_kind === 'ORGANISATION' ? name.toLowerCase().match(/[a-z0-9]+/g) : null
  return `${words?.join('-').slice(0, SLUG_NAME_MAX) ?? 'sponsor'}-${id.slice(-SLUG_TAIL)}`
}
