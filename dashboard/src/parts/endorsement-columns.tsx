import type { ListedEndorsement } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Column } from './list-page.tsx'
import { PersonId } from './person-id.tsx'
import { places } from './places.ts'
import { StateBadge, wordsOf } from './state-badge.tsx'
import { today } from './texts.ts'
import { linkOf } from './url-search.ts'
import { Day } from './when.tsx'

type Row = Pick<ListedEndorsement, 'kind' | 'person_id' | 'user_id' | 'state' | 'due_on' | 'insurance_policy_id'>

const KINDS: Readonly<Record<string, string>> = { JOIN: 'Joins', LEAVE: 'Leaves', END: 'End of the policy' }

/** What changes: `Correction of a dependant`. */
export function endorsementText({ kind, person_id: person, user_id: user }: Row): string {
  if (kind === 'CORRECTION') return person === user ? 'Correction of the member' : 'Correction of a dependant'
  if (kind === 'NOMINEE') return person === null ? 'No nominee any more' : 'Another nominee'
  return KINDS[kind] ?? wordsOf(kind)
}

export const placeOfEndorsement = ({ user_id, insurance_policy_id }: Row): string =>
  places.policy(user_id, insurance_policy_id)

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
export const ENDORSEMENT_COLUMNS: readonly Column<ListedEndorsement>[] = [
  {
    title: 'Endorsement',
    cell: (row) => (
      <Anchor component={Link} size="sm" {...linkOf(placeOfEndorsement(row))}>
        {endorsementText(row)}
      </Anchor>
    ),
  },
  { title: 'State', cell: (row) => <EndorsementState row={row} /> },
  { title: 'Person', cell: ({ user_id }) => <PersonId id={user_id} tab="policies" /> },
  DUE,
]

/** The same on the page of its policy. */
export const ENDORSEMENT_COLUMNS_OF_POLICY: readonly Column<ListedEndorsement>[] = [
  { title: 'Endorsement', cell: endorsementText },
  { title: 'State', cell: (row) => <EndorsementState row={row} /> },
  DUE,
]
