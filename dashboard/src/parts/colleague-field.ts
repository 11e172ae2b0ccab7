import { administratorId, type PossibleAssignee } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { colleaguesQuery } from '../api/colleagues.ts'
import { textOf } from '../api/problem.ts'
import { useSession } from '../api/session.ts'
import { distinct } from './distinct.ts'
import type { Field, Values } from './problem-form.tsx'
import { typed } from './problem-form.tsx'

const POINTER = '/administrator_id'
/** In place of an id. */
const NOBODY = 'none'

/** The people to choose from, oneself first; for an administrator with who is of an insurer’s desk. */
export function colleagueChoices(people: readonly PossibleAssignee[], reader: { id: string; ownerId: string | null }) {
  const choices = people.map(({ id, name, owner_id: owner }) => ({
    value: id as string,
    label: `${name ?? 'Without a name'}${owner === reader.ownerId ? '' : ', insurer’s desk'}`,
  }))
  const isOwn = ({ value }: { value: string }) => value === reader.id
  return [
    ...choices.filter(isOwn).map(({ value, label }) => ({ value, label: `You, ${label}` })),
    ...distinct(choices.filter((one) => !isOwn(one))),
  ]
}

/** The field of a form that asks who is to work on policies: of this benefit provider, if they are all of one. */
export function useColleagueField(providerId: string | undefined, { orNobody }: { orNobody: boolean }): Field {
  const session = useSession()
  const { data, error } = useQuery(colleaguesQuery(providerId))
  const first = data ? 'Choose somebody' : error ? textOf(error) : 'Loading…'
  return {
    pointer: POINTER,
    label: 'To',
    isRequired: true,
    choices: [
      { value: '', label: first },
      ...colleagueChoices(data ?? [], session),
      ...(orNobody ? [{ value: NOBODY, label: 'Nobody' }] : []),
    ],
  }
}

/** Who was chosen; null: nobody is to work on it. */
export function chosenColleague(values: Values) {
  const chosen = typed(values, POINTER) ?? NOBODY
  return chosen === NOBODY ? null : administratorId(chosen)
}
