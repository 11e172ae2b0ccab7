import { nextVersion } from '../../../kernel/db/version.ts'
import { StatusInput } from '../../../kernel/http/schemas.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { operation, responding, transition, unchanged } from '../../../record/index.ts'
import { AdministratorPath, AdministratorRecord, presentAdministrator, tags } from './records.ts'
import { ADMINISTRATOR_MACHINE, ADMINISTRATOR_STATUSES } from './states.ts'
import { administratorInPath, SET_ADMINISTRATOR_STATUS } from './store.ts'

export const setAdministratorStatus = operation('PUT /administrators/:administrator_id/status', {
  access: 'setAdministratorStatus',
  tags,
  summary: 'Disable or enable an administrator',
  description:
    'DISABLED ends all sessions and access tokens of the administrator within a second and prevents logins; after ACTIVE, the administrator can log in again. Administrators cannot disable themselves.',
  params: AdministratorPath,
  body: StatusInput(ADMINISTRATOR_STATUSES, 'DISABLED'),
  response: { 200: AdministratorRecord },
  problems: ['not_found'],
  target: administratorInPath,
  serializeBy: ({ params }) => params.administrator_id,
  change: ({ target: administrator, body: { status, reason } }, { at, caller }) => {
    const { id, revision } = administrator
    if (administrator.status === status) return unchanged(administrator)
    // Somebody must remain who can undo it.
    if ('subject' in caller && caller.subject === id) throw cannotDisableSelf()
    return {
      result: { ...nextVersion(administrator, at), status },
      ...SET_ADMINISTRATOR_STATUS.with({ administrator_id: id, revision, status, at }),
      ...transition(ADMINISTRATOR_MACHINE, administrator, { to: status, who: caller.kind, reason }),
    }
  },
  present: (administrator) => responding(presentAdministrator(administrator)),
})

const cannotDisableSelf = () => new ProblemError('forbidden', 'You cannot disable yourself. Ask another owner.')
