import assert from 'node:assert/strict'
import type { Caller } from '../../access/caller.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { type FieldError, foundOrUndefined, invalid, unknownReference } from '../../kernel/problem-error.ts'
import { beginning, type By, type Change, newEvent } from '../../record/index.ts'
import { findPlatform, foreignPlatform } from '../platforms/index.ts'
import type { SponsorInput } from './schemas.ts'
import { SPONSOR_MACHINE } from './states.ts'
import { INSERT_SPONSOR, sealProfile, type Sponsor } from './store.ts'

/**
 * Creates a sponsor of the calling platform, or of the one that an administrator names. It starts PENDING. Throws 422 when
 * there is no such platform.
 */
export async function createSponsor(
  { db, vault }: { db: Queryable; vault: Vault },
  { platform_id: named, ...input }: SponsorInput,
  by: By,
): Promise<Change<Sponsor>> {
  const platformId = by.caller.kind === 'platform' ? by.caller.platformId : await existingPlatform(db, named)
  const id = newId('spn')
  const profile = { ...input, pan: input.pan.trim() }
  const { wrapped, key } = vault.newDataKey()
  const sponsor: Sponsor = {
    id,
    userId: null,
    platformId,
    slug: slugOf(id, profile),
    status: 'PENDING',
    key,
    profile,
    ...firstVersion(by.at),
  }
  const sealed = sealProfile(key, id, profile)
  return {
    result: sponsor,
    write: INSERT_SPONSOR,
    values: [id, platformId, sponsor.slug, sponsor.status, wrapped, sealed, by.at],
    history: beginning(SPONSOR_MACHINE, sponsor).history,
    events: [newEvent('sponsor.created', { platformId, data: { sponsor_id: id } })],
  }
}

async function existingPlatform(db: Queryable, id: string | undefined): Promise<string> {
  assert(id !== undefined, 'faultsOfPlatform has looked')
  const platform = await foundOrUndefined(findPlatform(db, id))
  if (!platform) throw invalid([unknownReference('/platform_id', 'There is no such platform.')])
  return platform.id
}

/** An administrator has no platform of its own, so it must name one; a platform names no other. */
export function errorsOfPlatform({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  if (caller.kind === 'platform') return foreignPlatform({ caller, body })
  if (Object.hasOwn(body ?? {}, 'platform_id')) return []
  return [
    { pointer: '/platform_id', code: 'required', detail: 'Must be there when an administrator creates a sponsor.' },
  ]
}

const SLUG_NAME_MAX = 60
const SLUG_TAIL = 8

/** The name of an organisation made fit for an address; a person's name stays out of it, because a slug is not sealed. */
function slugOf(id: string, { name, sponsor_details }: Pick<SponsorInput, 'name' | 'sponsor_details'>): string {
  const words = sponsor_details.sponsor_kind === 'ORGANISATION' ? name.toLowerCase().match(/[a-z0-9]+/g) : null
  return `${words?.join('-').slice(0, SLUG_NAME_MAX) ?? 'sponsor'}-${id.slice(-SLUG_TAIL)}`
}
