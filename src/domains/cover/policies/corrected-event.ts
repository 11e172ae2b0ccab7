import { actorOf } from '../../../access/caller.ts'
import { text, texts, time } from '../../../kernel/db/columns.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import { newId } from '../../../kernel/id.ts'
import { type Author, newEvent, type PersonField } from '../../../record/index.ts'
import type { Policy } from './records.ts'

/** A person who was corrected: the user, or the new version of a dependant. */
export type Correction = { id: string; fields: PersonField[] }

/** The corrections of the user that a policy has followed. */
export const LINKED_CORRECTIONS = linkedInsert('policy_corrections', {
  userId: text('user_id'),
  policyId: text('policy_id'),
  id: text('correction_id'),
  actor: text('actor'),
  requestId: text('request_id'),
  at: time('at'),
  fields: texts('fields'),
})

export const createCorrection = (
  { userId, id }: { userId: string; id: string },
  fields: PersonField[],
  { caller, requestId, at }: Author,
) => ({
  user_id: userId,
  policy_id: id,
  correction_id: newId('cor'),
  actor: actorOf(caller),
  request_id: requestId,
  at,
  fields,
})

type Corrected = Pick<Policy, 'id' | 'platformId' | 'benefitProviderId' | 'personsVersion'> & { userId: string }

/** Returns the event of a correction that the policy has counted. */
export const correctedEvent = (policy: Corrected, { id: person_id, fields }: Correction) =>
  newEvent('policy.corrected', {
    platformId: policy.platformId,
    data: {
      user_id: policy.userId,
      insurance_policy_id: policy.id,
      benefit_provider_id: policy.benefitProviderId,
      person_id,
      fields,
      persons_version: policy.personsVersion,
    },
  })
