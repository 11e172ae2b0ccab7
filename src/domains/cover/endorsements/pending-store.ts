import { columns, day, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { ENDORSEMENT_KINDS, ENDORSEMENT_STATES } from './states.ts'

const PENDING = columns('e', {
  id: text('endorsement_id'),
  kind: oneOf('kind', ENDORSEMENT_KINDS),
  on: day('on_day'),
  state: oneOf('state', ENDORSEMENT_STATES),
})

/** An endorsement that is undecided, or accepted and not yet part of an issue, which an END never is. */
export type PendingEndorsement = RecordOf<typeof PENDING>

/** Returns true for an endorsement that an issue certifies. An END stands by itself: it is decided with its day and its refund. */
export const isOfPersons = ({ kind }: Pick<PendingEndorsement, 'kind'>): boolean => kind !== 'END'

/** Returns SQL for the pending endorsements of a policy, which `decodePending` reads. */
export const pendingText = (user: string, policy: string): string =>
  `(select json_agg(json_build_object('endorsement_id', e.endorsement_id, 'kind', e.kind, 'on_day', e.on_day, 'state', e.state) order by e.endorsement_id)
      from policy_endorsements e
     where e.user_id = ${user} and e.policy_id = ${policy}
       and (e.state = 'REQUESTED' or e.state = 'ACCEPTED' and e.issue is null and e.kind <> 'END'))`

export const decodePending = (rows: object[] | null): PendingEndorsement[] => (rows ?? []).map(PENDING.decode)
