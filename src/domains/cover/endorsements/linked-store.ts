import { nullable, text, time } from '../../../kernel/db/columns.ts'
import { linkedInsert, linkedWrite } from '../../../kernel/db/write-statement.ts'
import { ENDORSEMENT } from './records.ts'

/** The endorsements that a write requests; what a decision says of one comes later. */
const { issue, providerReference, amountPaise, revision: _counted, ...columns } = ENDORSEMENT.fields
const requested = { ...columns, userId: text('user_id') }
export const LINKED_ENDORSEMENTS = linkedInsert('policy_endorsements', requested)

/** `owner` is the user whose endorsements they are. */
const decisionsText = (owner: string) => `update policy_endorsements e
        set state = r.state, issue = r.issue, on_day = coalesce(r.on_day, e.on_day),
            provider_reference = coalesce(r.provider_reference, e.provider_reference),
            amount_paise = coalesce(r.amount_paise, e.amount_paise), revision = e.revision + 1, last_modified_at = r.at
       from r
       join changed using (n)
      where e.user_id = ${owner} and e.endorsement_id = r.endorsement_id`

/**
 * The endorsements that a write decides, or certifies by an issue. Guarded by the revision of their policy, which every write
 * that requests or decides one raises.
 */
export const LINKED_DECISIONS = linkedWrite(
  {
    userId: requested.userId,
    id: requested.id,
    state: requested.state,
    issue,
    on: nullable(requested.on),
    providerReference,
    amountPaise,
    at: time('at'),
  },
  { name: 'endorsed', text: decisionsText('r.user_id'), single: decisionsText(':user_id') },
)
