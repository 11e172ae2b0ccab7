import type { Dependant, UserId } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'

const FIELDS = [
  { pointer: '/first_name', label: 'Given name', isRequired: true },
  { pointer: '/last_name', label: 'Family name', isRequired: true },
  { pointer: '/date_of_birth', label: 'Born', hint: 'Year, month, day: 1990-05-17', isRequired: true },
] as const

type CorrectSettings = { id: UserId; dependant: Dependant; purpose: string; close: () => void }

/** Corrects a dependant: that makes a new version, and the former stays readable. */
export function CorrectDependant({ id, dependant, purpose, close }: CorrectSettings) {
  const queries = useQueryClient()
  const { first_name, last_name, date_of_birth } = dependant
  const before = { '/first_name': first_name, '/last_name': last_name, '/date_of_birth': date_of_birth }

  const send = async (values: Readonly<Record<string, string>>) => {
    const changed = FIELDS.filter(({ pointer }) => values[pointer] !== before[pointer])
    if (changed.length === 0) return close()
    const body = Object.fromEntries(changed.map(({ pointer }) => [pointer.slice(1), values[pointer]?.trim()]))
    await banyan.user(id).dependants.update(dependant.id, body, { purpose, ifMatch: dependant })
    await queries.invalidateQueries({ queryKey: ['person', id, 'dependants'] })
    notify('The dependant is corrected.')
    close()
  }

  return (
    <ProblemForm fields={FIELDS} initial={before} submit="Correct" send={send} cancel={close}>
      <Text size="sm">Policies in force that name the dependant will wait to be issued again.</Text>
    </ProblemForm>
  )
}
