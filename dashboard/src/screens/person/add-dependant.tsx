import type { PlainDate, UserId } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'

const NAMES = ['first_name', 'last_name', 'date_of_birth'] as const
const pointerOf = (name: (typeof NAMES)[number]) => `/dependants/0/${name}`

const FIELDS = [
  { pointer: pointerOf('first_name'), label: 'Given name', isRequired: true },
  { pointer: pointerOf('last_name'), label: 'Family name', isRequired: true },
  { pointer: pointerOf('date_of_birth'), label: 'Born', hint: 'Year, month, day: 1990-05-17', isRequired: true },
] as const

/** Adds one dependant. Who is covered is decided when a policy is applied for. */
export function AddDependant({ id, purpose, close }: { id: UserId; purpose: string; close: () => void }) {
  const queries = useQueryClient()
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const text = (name: (typeof NAMES)[number]) => values[pointerOf(name)]?.trim() ?? ''
    const dependant = {
      first_name: text('first_name'),
      last_name: text('last_name'),
      date_of_birth: text('date_of_birth') as PlainDate,
    }
    await banyan.user(id).dependants.create({ dependants: [dependant] }, { purpose, signal })
    await queries.invalidateQueries({ queryKey: ['person', id, 'dependants'] })
    notify('The dependant is added.')
    close()
  }
  return (
    <ProblemForm fields={FIELDS} submit="Add" send={send} cancel={close}>
      <Text size="sm">Existing policies do not change: each covers the dependants that its application named.</Text>
    </ProblemForm>
  )
}
