import { columns, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { ENDORSEMENT_KINDS, ENDORSEMENT_STATES } from './states.ts'

const PENDING = columns('e', {
  id: text('endorsement_id'),
  kind: oneOf('kind', ENDORSEMENT_KINDS),
  state: oneOf('state', ENDORSEMENT_STATES),
})

/** An endorsement that is undecided, or accepted and not yet part of an issue. */
export type PendingEndorsement = RecordOf<typeof PENDING>

/** Returns SQL for the pending endorsements of a policy, which `decodePending` reads. */
export const pendingText = (user: string, policy: string): string =>
  `(select json_agg(json_build_object('endorsement_id', e.endorsement_id, 'kind', e.kind, 'state', e.state) order by e.endorsement_id)
      from policy_endorsements e
     where e.user_id = ${user} and e.policy_id = ${policy}
       and (e.state = 'REQUESTED' or e.state = 'ACCEPTED' and e.issue is null))`

export const decodePending = (rows: object[] | null): PendingEndorsement[] => (rows ?? []).map(PENDING.decode)
