import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, foundOrUndefined, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { beginning, type By, type Change, newEvent } from '../../../record/index.ts'
import { findPlatform, foreignPlatform } from '../platforms/index.ts'
import type { SponsorInput } from './schemas.ts'
import { SPONSOR_MACHINE } from './states.ts'
import { INSERT_SPONSOR, PROFILE, type Sponsor } from './store.ts'

/**
 * Decides a new PENDING sponsor of the calling platform, or of the platform an administrator names. Throws 422 when
 * that platform does not exist.
 */
export async function createSponsor(
  { db, vault }: { db: Queryable; vault: Vault },
  { platform_id, ...input }: SponsorInput,
  by: By,
): Promise<Change<Sponsor>> {
  const platformId = by.caller.kind === 'platform' ? by.caller.platformId : await existingPlatform(db, platform_id)
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
  const sealed = PROFILE.seal(key, { id }, profile)
  const { history, events } = beginning(SPONSOR_MACHINE, sponsor)
  return {
    result: sponsor,
    write: INSERT_SPONSOR,
    values: [id, platformId, sponsor.slug, sponsor.status, wrapped, sealed, by.at],
    history,
    events: [newEvent('sponsor.created', { platformId, data: { sponsor_id: id } }), ...events],
  }
}

async function existingPlatform(db: Queryable, id: string | undefined): Promise<string> {
  assert(id !== undefined, 'validatePlatform requires it')
  const platform = await foundOrUndefined(findPlatform(db, id))
  if (!platform) throw invalid([unknownReference('/platform_id', 'No platform has this id.')])
  return platform.id
}

/** Returns an error when an administrator names no platform, or a platform names another one. */
export function validatePlatform({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  if (caller.kind === 'platform') return foreignPlatform({ caller, body })
  if (Object.hasOwn(body ?? {}, 'platform_id')) return []
  return [{ pointer: '/platform_id', code: 'required', detail: 'Required when an administrator creates a sponsor.' }]
}

const SLUG_NAME_MAX = 60
const SLUG_TAIL = 8

/** Returns a URL-safe slug from an organisation's name. A person's name is left out: slugs are stored in clear. */
function slugOf(id: string, { name, sponsor_details }: Pick<SponsorInput, 'name' | 'sponsor_details'>): string {
  const words = sponsor_details.sponsor_kind === 'ORGANISATION' ? name.toLowerCase().match(/[a-z0-9]+/g) : null
  return `${words?.join('-').slice(0, SLUG_NAME_MAX) ?? 'sponsor'}-${id.slice(-SLUG_TAIL)}`
}
