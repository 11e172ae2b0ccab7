import type { NextAction } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { may } from '../api/rights.ts'
import type { Role } from '../api/roles.ts'
import { useSession } from '../api/session.ts'
import type { Column } from './list-page.tsx'
import { PersonId } from './person-id.tsx'
import { places } from './places.ts'
import { Rows } from './rows.tsx'
import { StateBadge } from './state-badge.tsx'
import { today } from './texts.ts'
import { linkOf } from './url-search.ts'
import { Day } from './when.tsx'

const WHO: Readonly<Partial<Record<string, string>>> = {
  user: 'Person',
  platform: 'Partner',
  benefit_provider: 'Benefit provider',
  sponsor: 'Sponsor',
  operator: 'Operators',
} satisfies Record<NextAction['who'] & string, string>

const RULES: Readonly<Partial<Record<string, string>>> = {
  decision: 'to decide',
  issue: 'to issue it',
  correction: 'to correct it',
  endorsement: 'for an endorsement',
  term_end: 'end of the term',
  grace_end: 'end of grace',
  policy_end: 'end of the policy',
  free_look: 'free look',
  erasure_notice: 'end of the notice',
  rights_request: 'to respond',
}

/** Returns the screen of the record that waits, for those who see it. */
function placeOf(action: NextAction, role: Role) {
  const { code, subject, subject_kind: kind, user_id: user, insurance_policy_id: policy } = action
  if (kind === 'sponsor') return may(role, 'listSponsors') ? places.sponsor(subject) : undefined
  // Known by its sponsor and its benefit provider.
  if (kind === 'deposit') return places.deposit(subject, action.benefit_provider_id ?? '')
  if (user === null) return undefined
  if (kind === 'insurance_policy') return places.policy(user, subject)
  if (kind === 'endorsement') return policy === null ? undefined : places.endorsement(user, policy, subject)
  if (kind === 'consultation') return places.consultation(user, subject)
  if (!may(role, 'readUser')) return undefined
  if (kind === 'account') return places.person(user, 'accounts')
  if (code === 'obtain_consent' || kind === 'consent') return places.person(user, 'consents')
  if (kind === 'rights_request') return places.person(user, 'rights')
  return kind === 'wallet' ? places.person(user, 'wallet') : places.person(user, 'data')
}

function Title({ action }: { action: NextAction }) {
  const { role } = useSession()
  const to = placeOf(action, role)
  return (
    <span title={action.detail}>
      {to === undefined ? (
        action.title
      ) : (
        <Anchor component={Link} size="sm" {...linkOf(to)}>
          {action.title}
        </Anchor>
      )}
    </span>
  )
}

/** The day itself is in time. */
const Due = ({ action: { due_on: day, rule } }: { action: NextAction }) =>
  day === null ? (
    <span className="quiet">No day</span>
  ) : (
    <>
      <Day day={day} isDue /> {day < today() && <StateBadge state="OVERDUE" />}
      {rule !== null && <small className="quiet rule">{RULES[rule] ?? rule}</small>}
    </>
  )

const ACTION: Column<NextAction> = { title: 'Next', cell: (action) => <Title action={action} /> }
const WAITS_FOR: Column<NextAction> = { title: 'Waits for', cell: ({ who }) => WHO[who] ?? who }
const PERSON: Column<NextAction> = {
  title: 'Person',
  cell: ({ user_id }) => (user_id === null ? <span className="quiet">–</span> : <PersonId id={user_id} />),
}
const DUE: Column<NextAction> = { title: 'Due', cell: (action) => <Due action={action} /> }

type Settings = {
  label: string
  actions: readonly NextAction[]
  /** All are of one person. */
  isOfPerson?: boolean
  /** All wait for one side. */
  isOfSide?: boolean
}

/** What must be done next, who is waited for, and until when. */
export const NextActionRows = ({ label, actions, isOfPerson = false, isOfSide = false }: Settings) => (
  <Rows
    label={label}
    columns={[ACTION, ...(isOfSide ? [] : [WAITS_FOR]), ...(isOfPerson ? [] : [PERSON]), DUE]}
    rows={actions}
    idOf={({ subject, code, benefit_provider_id }) => `${subject} ${code} ${benefit_provider_id}`}
  />
)
