import { LINKED_PLATFORM_ACCESS } from '../../../access/platform-access.ts'
import { revocationRows } from '../../../access/revocations.ts'
import { StatusInput } from '../../../kernel/http/schemas.ts'
import { changed, operation, transition, unchanged } from '../../../record/index.ts'
import { PlatformPath, PlatformRecord, tags, versionOf } from './records.ts'
import { PLATFORM_MACHINE, PLATFORM_STATUSES, subjectOf } from './states.ts'
import { platformInPath, setStatus } from './store.ts'

/** Revokes every token of the platform and its users, and every refresh family; an enabled platform gets new tokens. */
export const setPlatformStatus = operation('PUT /platforms/:platform_id/status', {
  access: 'setPlatformStatus',
  tags,
  summary: 'Disable or enable a platform',
  description: 'Setting INACTIVE stops the platform and every token issued to it or its users within a second.',
  params: PlatformPath,
  body: StatusInput(PLATFORM_STATUSES, 'INACTIVE'),
  versioned: true,
  response: { 200: PlatformRecord },
  problems: ['not_found', 'precondition_failed'],
  target: platformInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.platform_id,
  change: ({ target: platform, body: { status, reason } }, { at, caller }) => {
    if (platform.status === status) return unchanged(platform)
    const change = setStatus(platform, { status }, at)
    const epoch = change.result.revision // only a status change increments it
    return {
      ...change,
      rows: {
        ...LINKED_PLATFORM_ACCESS.rows([{ platform_id: platform.id, is_active: status === 'ACTIVE', epoch }]),
        ...revocationRows(`platform:${platform.id}`, epoch),
      },
      ...transition(PLATFORM_MACHINE, subjectOf(platform), { to: status, who: caller.kind, reason }),
    }
  },
  present: (platform) => changed(versionOf(platform)),
})
