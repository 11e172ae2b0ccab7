import { nextVersion } from '../../../kernel/db/version.ts'
import { StatusInput } from '../../../kernel/http/schemas.ts'
import { changed, operation, transition, unchanged } from '../../../record/index.ts'
import { SponsorPath, SponsorRecord, tags, versionOf } from './records.ts'
import { SPONSOR_MACHINE, SPONSOR_STATUSES } from './states.ts'
import { sponsorInPath, UPDATE_SPONSOR } from './store.ts'

export const setSponsorStatus = operation('PUT /sponsors/:sponsor_id/status', {
  access: 'setSponsorStatus',
  tags,
  summary: 'Set the status of a sponsor',
  description: 'Transitions: PENDING to ACTIVE or INACTIVE, ACTIVE to INACTIVE, INACTIVE to ACTIVE.',
  params: SponsorPath,
  body: StatusInput(SPONSOR_STATUSES, 'ACTIVE'),
  versioned: true,
  response: { 200: SponsorRecord },
  problems: ['not_found', 'invalid_state', 'precondition_failed'],
  target: sponsorInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.sponsor_id,
  change: ({ target: sponsor, body: { status, reason } }, { at, caller }) => {
    if (sponsor.status === status) return unchanged(sponsor)
    const { id, revision } = sponsor
    return {
      result: { ...nextVersion(sponsor, at), status },
      ...UPDATE_SPONSOR.with({ sponsor_id: id, revision, status, sealed: null, at }),
      ...transition(SPONSOR_MACHINE, sponsor, { to: status, who: caller.kind, reason }),
    }
  },
  present: (sponsor) => changed(versionOf(sponsor)),
})
