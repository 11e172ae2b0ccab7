import type { ListedEndorsement } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Column } from './list-page.tsx'
import { PersonId } from './person-id.tsx'
import { places } from './places.ts'
import { StateBadge, wordsOf } from './state-badge.tsx'
import { dayText, today } from './texts.ts'
import { linkOf } from './url-search.ts'
import { Day } from './when.tsx'

type Row = Pick<ListedEndorsement, 'kind' | 'person_id' | 'user_id' | 'state' | 'on' | 'due_on'>
/** The name of a dependant, by any version, where the screen has it. */
export type NameOf = (person: string) => string | undefined

/** What changes: `Correction of a dependant`, `Joins on 10 Jun 2026`. */
export function endorsementText({ kind, person_id: person, user_id: user, on }: Row): string {
  if (kind === 'CORRECTION') return person === user ? 'Correction of the member' : 'Correction of a dependant'
  if (kind === 'NOMINEE') return person === null ? 'No nominee any more' : 'Another nominee'
  if (kind === 'JOIN') return `Joins on ${dayText(on)}`
  if (kind === 'LEAVE') return `Leaves on ${dayText(on)}`
  return kind === 'END' ? `Policy ends on ${dayText(on)}` : wordsOf(kind)
}

/** The same with the name of the dependant, where the screen has it. */
export function EndorsementText({ row, nameOf }: { row: Row; nameOf: NameOf | undefined }) {
  const name = row.person_id === null ? undefined : nameOf?.(row.person_id)
  if (name === undefined) return <>{endorsementText(row)}</>
  return (
    <>
      {endorsementText(row)}: <bdi>{name}</bdi>
    </>
  )
}

type Placed = Pick<ListedEndorsement, 'id' | 'user_id' | 'insurance_policy_id'>

export const placeOfEndorsement = ({ id, user_id, insurance_policy_id }: Placed): string =>
  places.endorsement(user_id, insurance_policy_id, id)

/** The day itself is in time. */
const isOverdue = ({ state, due_on }: Row): boolean => state === 'REQUESTED' && due_on < today()

export const EndorsementState = ({ row }: { row: Row }) => (
  <>
    <StateBadge state={row.state} /> {isOverdue(row) && <StateBadge state="OVERDUE" />}
  </>
)

/** By when it should be decided; how far that is, while it is not. */
const DUE: Column<ListedEndorsement> = {
  title: 'Due',
  cell: ({ due_on, state }) => <Day day={due_on} isDue={state === 'REQUESTED'} />,
}

/** What each list of endorsements shows. */
export const endorsementColumnsIn = (
  placeOf: (row: ListedEndorsement) => string,
): readonly Column<ListedEndorsement>[] => [
  {
    title: 'Endorsement',
    cell: (row) => (
      <Anchor component={Link} size="sm" {...linkOf(placeOf(row))}>
        {endorsementText(row)}
      </Anchor>
    ),
  },
  { title: 'State', cell: (row) => <EndorsementState row={row} /> },
  { title: 'Person', cell: ({ user_id }) => <PersonId id={user_id} tab="policies" /> },
  DUE,
]

/** The same on the page of its policy. */
export const endorsementColumnsOfPolicy = (nameOf: NameOf): readonly Column<ListedEndorsement>[] => [
  { title: 'Endorsement', cell: (row) => <EndorsementText row={row} nameOf={nameOf} /> },
  { title: 'State', cell: (row) => <EndorsementState row={row} /> },
  DUE,
]
