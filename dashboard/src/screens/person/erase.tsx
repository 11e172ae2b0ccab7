import type { Erasure, ErasurePreview } from '@banyan/client'
import { Checkbox, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { eraseUser, refreshErasure } from '../../api/people.ts'
import { InputError } from '../../api/problem.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'

const ERASE = {
  to: 'ERASED',
  label: 'Erase the person…',
  effect: 'Destroys what is said to be erased. This cannot be undone after the notice period.',
  isDangerous: true,
} as const

/** Asks for the id of the person before anything is erased, because nothing brings it back. */
export function Erase({ preview, done }: { preview: ErasurePreview; done: (erasure: Erasure) => void }) {
  const { user_id: id, policies_in_force: inForce } = preview
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [endsPolicies, setEndsPolicies] = useState(false)
  const close = () => setAsking(false)

  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    if (values['/id']?.trim() !== id) throw new InputError('/id', 'This is not the id of the person.')
    if (inForce.length > 0 && !endsPolicies)
      throw new Error('Policies are in force. Tick the box to end them together with the erasure.')
    const erasure = await eraseUser(id, { endsPolicies, signal })
    close()
    done(erasure)
    // Afterwards there is nothing to read any more.
    if (erasure.erased_at.getTime() > Date.now()) await refreshErasure(queries, id)
  }

  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        Destroys the key of the person’s data, so that nobody can read it again, and ends all sessions. Insurers that
        had a policy hear it as an event; the wallet operator and the bank are not informed: do that yourself.
      </Text>
      <TransitionButtons
        transitions={[ERASE]}
        allowed={preview.holds_money ? [] : [ERASE.to]}
        whyNot={() => 'The wallet holds money. Debit its balance first.'}
        choose={() => setAsking(true)}
      />
      <Dialog opened={isAsking} close={close} title="Erase the person">
        <ProblemForm
          fields={[{ pointer: '/id', label: 'The id of the person', hint: `To be sure: ${id}`, isRequired: true }]}
          submit="Erase"
          isDangerous
          send={send}
          cancel={close}
        >
          {inForce.length > 0 && (
            <Checkbox
              label={`End the policies that are in force (${inForce.length})`}
              description="Otherwise the erasure is refused."
              checked={endsPolicies}
              onChange={({ currentTarget }) => setEndsPolicies(currentTarget.checked)}
            />
          )}
        </ProblemForm>
      </Dialog>
    </Stack>
  )
}
