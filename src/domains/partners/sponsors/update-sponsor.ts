import { isDeepStrictEqual } from 'node:util'
import { nextVersion } from '../../../kernel/db/version.ts'
import {
  type Author,
  changed,
  type Decision,
  newEvent,
  operation,
  transition,
  unchanged,
} from '../../../record/index.ts'
import {
  presentSponsor,
  type Sponsor,
  SponsorPatch,
  SponsorPath,
  type SponsorProfile,
  SponsorRecord,
  tags,
  versionOf,
} from './records.ts'
import { SPONSOR_MACHINE } from './states.ts'
import { PROFILE, sponsorInPath, UPDATE_SPONSOR } from './store.ts'

export const updateSponsor = operation('PATCH /sponsors/:sponsor_id', {
  access: 'updateSponsor',
  tags,
  summary: 'Update a sponsor',
  description:
    'Top-level JSON merge patch (RFC 7396); `address` and `sponsor_details` are replaced as a whole. Changing ' +
    '`pan` or `sponsor_kind` puts an ACTIVE sponsor back to PENDING.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: SponsorPath,
  body: SponsorPatch,
  versioned: true,
  response: { 200: SponsorRecord },
  problems: ['not_found', 'precondition_failed'],
  target: sponsorInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.sponsor_id,
  change: ({ target, body }, author) => changeSponsor(target, body, author),
  present: (sponsor) => changed(versionOf(sponsor)),
})

/** Decides an update. A new PAN or kind puts an ACTIVE sponsor back to PENDING, for every caller. */
export function changeSponsor(sponsor: Sponsor, patch: SponsorPatch, { at }: Author): Decision<Sponsor> {
  const pan = patch.pan?.trim() ?? sponsor.profile.pan
  const profile: SponsorProfile = { ...sponsor.profile, ...patch, pan }
  if (isDeepStrictEqual(presentSponsor({ ...sponsor, profile }), presentSponsor(sponsor))) return unchanged(sponsor)
  const status = sponsor.status === 'ACTIVE' && needsReview(sponsor.profile, profile) ? 'PENDING' : sponsor.status
  const recorded =
    status === sponsor.status ? undefined : transition(SPONSOR_MACHINE, sponsor, { to: status, who: 'system' })
  const { id, platformId, revision } = sponsor
  const sealed = PROFILE.seal(sponsor.key, { id }, profile)
  return {
    result: { ...nextVersion(sponsor, at), profile, status },
    ...UPDATE_SPONSOR.with({ sponsor_id: id, revision, status, sealed, at }),
    history: recorded?.history ?? [],
    events: [newEvent('sponsor.updated', { platformId, data: { sponsor_id: id } }), ...(recorded?.events ?? [])],
  }
}

const needsReview = (before: SponsorProfile, after: SponsorProfile) =>
  before.pan !== after.pan || before.sponsor_details.sponsor_kind !== after.sponsor_details.sponsor_kind
