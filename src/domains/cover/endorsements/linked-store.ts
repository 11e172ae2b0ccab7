import { day, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { linkedInsert, linkedWrite } from '../../../kernel/db/write-statement.ts'
import { LIFE_EVENTS } from './records.ts'
import { ENDORSEMENT_KINDS, ENDORSEMENT_STATES } from './states.ts'

/** The endorsements that a write requests. */
export const LINKED_ENDORSEMENTS = linkedInsert('policy_endorsements', {
  userId: text('user_id'),
  id: text('endorsement_id'),
  policyId: text('policy_id'),
  platformId: text('platform_id'),
  benefitProviderId: text('benefit_provider_id'),
  kind: oneOf('kind', ENDORSEMENT_KINDS),
  personId: nullable(text('person_id')),
  on: day('on_day'),
  event: nullable(oneOf('event', LIFE_EVENTS)),
  eventOn: nullable(day('event_on')),
  personsVersion: integer('persons_version'),
  dueOn: day('due_on'),
  state: oneOf('state', ENDORSEMENT_STATES),
  actor: text('actor'),
  createdAt: time('created_at'),
  lastModifiedAt: time('last_modified_at'),
})

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
    userId: text('user_id'),
    id: text('endorsement_id'),
    state: oneOf('state', ENDORSEMENT_STATES),
    issue: nullable(integer('issue')),
    on: nullable(day('on_day')),
    providerReference: nullable(text('provider_reference')),
    amountPaise: nullable(integer('amount_paise')),
    at: time('at'),
  },
  { name: 'endorsed', text: decisionsText('r.user_id'), single: decisionsText(':user_id') },
)
