import { ConflictError, type Dependant, type UserId } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { findNewestVersion } from '../../api/people.ts'
import { banyan } from '../../api/banyan.ts'
import { Conflict } from '../../parts/conflict.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'

const FIELDS = [
  { pointer: '/first_name', label: 'Given name', isRequired: true },
  { pointer: '/last_name', label: 'Family name', isRequired: true },
  { pointer: '/date_of_birth', label: 'Born', hint: 'Year, month, day: 1990-05-17', isRequired: true },
] as const

const valuesOf = ({ first_name, last_name, date_of_birth }: Dependant) => ({
  '/first_name': first_name,
  '/last_name': last_name,
  '/date_of_birth': date_of_birth,
})

/** What somebody else has corrected: the label of each field, and what stands there now. */
function changesOf(before: Dependant, now: Dependant) {
  const [old, current] = [valuesOf(before), valuesOf(now)]
  return FIELDS.filter(({ pointer }) => old[pointer] !== current[pointer]).map(({ pointer, label }) => ({
    label,
    value: current[pointer],
  }))
}

type CorrectSettings = { id: UserId; dependant: Dependant; purpose: string; close: () => void }

/**
 * Corrects a dependant: that makes a new version, and the former stays readable. If somebody else has corrected it
 * meanwhile, that is shown, and one chooses, as with a profile.
 */
export function CorrectDependant({ id, dependant, purpose, close }: CorrectSettings) {
  const queries = useQueryClient()
  /** The form began with `from`; `seen` is the version that the next attempt builds on. */
  const [{ from, seen }, setBase] = useState({ from: dependant, seen: dependant })
  const [theirs, setTheirs] = useState<Dependant>()
  const before = valuesOf(from)
  const refresh = () => queries.invalidateQueries({ queryKey: ['person', id, 'dependants'] })

  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const changed = FIELDS.filter(({ pointer }) => values[pointer] !== before[pointer])
    if (changed.length === 0) return close()
    const body = Object.fromEntries(changed.map(({ pointer }) => [pointer.slice(1), values[pointer]?.trim()]))
    try {
      await banyan.user(id).dependants.update(seen.id, body, { purpose, signal })
    } catch (error) {
      // A version that another one has replaced is a conflict; so is a dependant who is registered twice.
      const newest = error instanceof ConflictError && (await findNewestVersion(id, seen.id, purpose))
      if (!newest) throw error
      return setTheirs(newest)
    }
    await refresh()
    notify('The dependant is corrected.')
    close()
  }
  const buildOn = (base: Dependant, now: Dependant) => {
    setBase({ from: base, seen: now })
    setTheirs(undefined)
    void refresh()
  }

  return (
    <ProblemForm key={from.id} fields={FIELDS} initial={before} submit="Correct" send={send} cancel={close}>
      <Text size="sm">Policies in force that name the dependant will wait to be issued again.</Text>
      {theirs && (
        <Conflict
          changes={changesOf(seen, theirs)}
          keepMine={() => buildOn(from, theirs)}
          takeTheirs={() => buildOn(theirs, theirs)}
        />
      )}
    </ProblemForm>
  )
}
