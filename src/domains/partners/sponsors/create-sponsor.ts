import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Change,
  created,
  type Deps,
  initialTransition,
  newEvent,
  operation,
} from '../../../record/index.ts'
import { foreignPlatform, hasPlatform } from '../platforms/index.ts'
import { type Sponsor, SponsorInput, SponsorRecord, tags, versionOf } from './records.ts'
import { SPONSOR_MACHINE } from './states.ts'
import { INSERT_SPONSOR, PROFILE } from './store.ts'

export const createSponsor = operation('POST /sponsors', {
  access: 'createSponsor',
  tags,
  summary: 'Create a sponsor',
  description: 'A new sponsor is PENDING until an administrator activates it.',
  body: SponsorInput,
  versioned: true,
  response: { 201: SponsorRecord },
  validate: validatePlatform,
  change: ({ deps, body }, author) => decideSponsor(deps, body, author),
  present: (sponsor, { request }) => created(createLocation(request, sponsor.id), versionOf(sponsor)),
})

function validatePlatform({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  if (caller.kind === 'platform') return foreignPlatform({ caller, body })
  if (Object.hasOwn(body ?? {}, 'platform_id')) return []
  return [{ pointer: '/platform_id', code: 'required', detail: 'Required when an administrator creates a sponsor.' }]
}

/** The sponsor of the calling platform, or of the one that an administrator names; 422 when that does not exist. */
async function decideSponsor(
  { db, vault }: Deps,
  { platform_id, ...input }: SponsorInput,
  { at, caller }: Author,
): Promise<Change<Sponsor>> {
  const platformId = caller.kind === 'platform' ? caller.platformId : await existingPlatform(db, platform_id)
  const id = newId('spn')
  const profile = { ...input, pan: input.pan.trim() }
  const { wrapped, key } = vault.newDataKey()
  const slug = createSlug(id, profile)
  const status = 'PENDING'
  const sponsor: Sponsor = { id, userId: null, platformId, slug, status, key, profile, ...firstVersion(at) }
  const sealed = PROFILE.seal(key, { id }, profile)
  const { history, events } = initialTransition(SPONSOR_MACHINE, sponsor)
  return {
    result: sponsor,
    ...INSERT_SPONSOR.with({ sponsor_id: id, platform_id: platformId, slug, status, data_key: wrapped, sealed, at }),
    history,
    events: [newEvent('sponsor.created', { platformId, data: { sponsor_id: id } }), ...events],
  }
}

async function existingPlatform(db: Queryable, id: string | undefined): Promise<string> {
  assert(id !== undefined, 'validatePlatform requires it')
  if (!(await hasPlatform(db, id))) throw invalid([unknownReference('/platform_id', 'No platform has this id.')])
  return id
}

const SLUG_NAME_MAX = 60
const SLUG_TAIL = 8

/** Returns a URL-safe slug from an organisation's name. A person's name is left out: slugs are stored in clear. */
function createSlug(id: string, { name, sponsor_details }: Pick<SponsorInput, 'name' | 'sponsor_details'>): string {
  const words = sponsor_details.sponsor_kind === 'ORGANISATION' ? name.toLowerCase().match(/[a-z0-9]+/g) : null
  return `${words?.join('-').slice(0, SLUG_NAME_MAX) ?? 'sponsor'}-${id.slice(-SLUG_TAIL)}`
}
