import type { BenefitId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { benefitQuery } from '../../api/partners.ts'
import { assignPolicy, type PolicyRef } from '../../api/policies.ts'
import { useSession } from '../../api/session.ts'
import { chosenColleague, useColleagueField } from '../../parts/colleague-field.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'

type FormSettings = {
  policy: PolicyRef
  /** Somebody works on it now. */
  isTaken: boolean
  /** Called when it is sent, or not to be. */
  close: () => void
  done: () => Promise<unknown>
}

/** Asks which colleague is to work on a policy. */
export function AssignForm({ benefitId, ...settings }: FormSettings & { benefitId: BenefitId }) {
  const { ownerId } = useSession()
  // An insurer’s own people are all that its desk chooses from.
  if (ownerId !== null) return <Form {...settings} />
  return <OfAnInsurer {...settings} benefitId={benefitId} />
}

function OfAnInsurer({ benefitId, ...settings }: FormSettings & { benefitId: BenefitId }) {
  const benefit = useQuery(benefitQuery(benefitId))
  return (
    <Loaded query={benefit} lines={3}>
      {(data) => <Form {...settings} providerId={data.benefit_provider_id} />}
    </Loaded>
  )
}

function Form({ policy, isTaken, close, done, providerId }: FormSettings & { providerId?: string }) {
  const field = useColleagueField(providerId, { orNobody: false })
  return (
    <ProblemForm
      fields={[field]}
      submit="Assign"
      cancel={close}
      send={async (values) => {
        const to = chosenColleague(values)
        if (to !== null) await assignPolicy(policy, { to, takesOver: isTaken })
        await done()
        close()
      }}
    />
  )
}
