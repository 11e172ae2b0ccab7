import { useQuery } from '@tanstack/react-query'
import { personNextActionsQuery } from '../../api/next-actions.ts'
import { NextActionRows } from '../../parts/next-action-rows.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import type { Looker } from './sealed.tsx'

/** What must be done next of a person, rights that run out among it. Nothing of it is sealed. */
export function Next({ id }: Looker) {
  return (
    <Loaded query={useQuery(personNextActionsQuery(id))} lines={4}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="Nothing waits">
            Nobody is waited for in a policy, an endorsement, an account, the wallet, a consultation, a consent or a
            rights request of this person.
          </Empty>
        ) : (
          <NextActionRows label="Next actions of this person" actions={data} isOfPerson />
        )
      }
    </Loaded>
  )
}
