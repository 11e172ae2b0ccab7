import { type InsurancePolicy, PreconditionFailedError } from '@banyan/client'
import { Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { allDependantsQuery } from '../../api/people.ts'
import { type PolicyRef, policyQuery } from '../../api/policies.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { AskPurpose } from '../../parts/ask-purpose.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { Failed } from '../../parts/outcomes.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { nameOf } from './name-of.ts'

type NomineeSettings = { policy: InsurancePolicy; at: PolicyRef }

/** Who is paid if the member dies, and another choice for those who may make it. */
export function Nominee({ policy, at }: NomineeSettings) {
  const { role } = useSession()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <bdi>{findNominee(policy)}</bdi>{' '}
      {may(role, 'setInsurancePolicyNominee') && (
        <Button size="compact-xs" variant="default" aria-label="Change the nominee" onClick={() => setOpen(true)}>
          Change
        </Button>
      )}
      <Dialog opened={isOpen} close={close} title="Change the nominee">
        <ChangeNominee policy={policy} at={at} close={close} />
      </Dialog>
    </>
  )
}

/** One of the dependants, whose name is known here if they are covered. */
function findNominee({ dependants, nominee_details: nominee }: InsurancePolicy): string {
  if (nominee === null) return 'None'
  const dependant = dependants.find(({ id }) => id === nominee.dependant_id)
  return dependant ? nameOf(dependant) : 'A dependant who is not covered'
}

const POINTER = '/nominee_details/dependant_id'
const NOBODY = { value: '', label: 'Nobody' }

function ChangeNominee({ policy, at, close }: NomineeSettings & { close: () => void }) {
  const queries = useQueryClient()
  const [seen, see] = useState(policy)
  const [purpose, setPurpose] = useState<string>()
  const all = useQuery(allDependantsQuery(at.userId, purpose))
  const current = policy.nominee_details?.dependant_id ?? ''
  const known = all.data ?? policy.dependants
  const choices = [NOBODY, ...known.map((one) => ({ value: one.id as string, label: nameOf(one) }))]
  const isKnown = choices.some(({ value }) => value === current)

  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const chosen = known.find(({ id }) => id === typed(values, POINTER))
    const nominee = chosen ? ({ nominee_type: 'DEPENDANT', dependant_id: chosen.id } as const) : null
    try {
      const { policies } = banyan.user(at.userId)
      await policies.setNominee(at.id, { nominee_details: nominee }, { ifMatch: seen, signal })
    } catch (error) {
      if (error instanceof PreconditionFailedError) see(await queries.fetchQuery({ ...policyQuery(at), staleTime: 0 }))
      throw error
    }
    notify(chosen ? `The nominee is now: ${nameOf(chosen)}.` : 'The policy has no nominee any more.')
    close()
    await Promise.all(
      [['endorsements'], ['policies'], ['policy', at.id]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )
  }

  return (
    <Stack gap="md">
      {!all.data && (
        <div>
          <Text size="sm" mb={4}>
            {policy.dependants.length === 0 ? 'No dependant is covered.' : 'Those who are covered are below.'} Others
            are opened with a reason, which stands in the access log.
          </Text>
          <AskPurpose label="Show all dependants" give={async (given) => setPurpose(given)} />
          {all.error && <Failed error={all.error} />}
        </div>
      )}
      <ProblemForm
        fields={[
          {
            pointer: POINTER,
            label: 'Nominee',
            choices: isKnown ? choices : [{ value: current, label: 'A dependant who is not covered' }, ...choices],
          },
        ]}
        initial={{ [POINTER]: current }}
        submit="Change the nominee"
        send={send}
        cancel={close}
        conflict={{ theirs: <bdi>{findNominee(seen)}</bdi> }}
      >
        <Text size="sm">
          Who is paid if the member dies. It holds at once; an issued policy waits for the insurer, who certifies it.
        </Text>
      </ProblemForm>
    </Stack>
  )
}
