import type { Erasure, UserId } from '@banyan/client'
import { Button, Checkbox, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { eraseUser } from '../../api/people.ts'
import { InputError } from '../../api/problem.ts'
import { ProblemForm } from '../../parts/problem-form.tsx'

/** Asks for the id of the person before anything is erased, because nothing brings it back. */
export function Erase({ id, done }: { id: UserId; done: (erasure: Erasure) => void }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [endsPolicies, setEndsPolicies] = useState(false)
  const close = () => setAsking(false)

  const send = async (values: Readonly<Record<string, string>>) => {
    if (values['/id']?.trim() !== id) throw new InputError('/id', 'This is not the id of the person.')
    done(await eraseUser(id, { endsPolicies }))
    close()
    await queries.invalidateQueries({ queryKey: ['person', id, 'life'] })
  }

  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        Destroys the key of the person’s data, so that nobody can read it again, and ends all sessions. Bookings and
        policy numbers stay as long as the law demands, without the person. Insurers, the wallet operator and the bank
        are not told: do that yourself.
      </Text>
      <Button size="xs" color="red" variant="outline" onClick={() => setAsking(true)}>
        Erase the person…
      </Button>
      <Modal opened={isAsking} onClose={close} title="Erase the person">
        <ProblemForm
          fields={[{ pointer: '/id', label: 'The id of the person', hint: `To be sure: ${id}`, isRequired: true }]}
          submit="Erase"
          send={send}
          cancel={close}
        >
          <Checkbox
            label="End the policies that are in force"
            description="Otherwise the erasure is refused while there is one."
            checked={endsPolicies}
            onChange={({ currentTarget }) => setEndsPolicies(currentTarget.checked)}
          />
        </ProblemForm>
      </Modal>
    </Stack>
  )
}
