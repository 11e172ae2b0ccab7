import type { InsurancePolicyMembers } from '@banyan/client'
import { Button, Group, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Member } from '../../api/members.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { AskPurpose } from '../../parts/ask-purpose.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { Column } from '../../parts/list-page.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { Rows } from '../../parts/rows.tsx'
import { wordsOf } from '../../parts/state-badge.tsx'
import { ageOn, dayText, daysFromNow, today } from '../../parts/texts.ts'
import { Day } from '../../parts/when.tsx'
import { ChangeMember, type MemberChoice, titleOf } from './change-member.tsx'
import { type DayButton, firstDayButtons, isGone, lastDayButtons, type PolicyDays } from './member-days.ts'
import { nameOf } from './name-of.ts'

type MembersSettings = {
  at: PolicyRef
  query: UseQueryResult<InsurancePolicyMembers>
  purpose: string | undefined
  give: (purpose: string) => void
  days: Omit<PolicyDays, 'members'>
}

/** Who is on a policy from when to when, for those who say why they look; it stands in the access log. */
export function Members({ at, query, purpose, give, days }: MembersSettings) {
  return (
    <Section title="Members">
      {purpose === undefined ? (
        <AskPurpose
          label="Show members"
          give={async (given) => give(given)}
          usual={days.isIssued ? 'Helping the person' : 'Checking an application'}
        />
      ) : (
        <Loaded query={query} lines={3}>
          {(members) => <Opened at={at} members={members} purpose={purpose} days={days} />}
        </Loaded>
      )}
    </Section>
  )
}

type OpenedSettings = Pick<MembersSettings, 'at' | 'days'> & { members: InsurancePolicyMembers; purpose: string }

function Opened({ at, members, purpose, days }: OpenedSettings) {
  const { role } = useSession()
  const [choice, choose] = useState<MemberChoice>()
  const close = () => choose(undefined)
  const ofPolicy: PolicyDays = { ...days, members: members.data }
  const mayChange = may(role, 'setInsurancePolicyMember') && !days.isOver
  const rows = members.data.map((member, index) => ({ member, key: `${index}` }))
  const buttons = (found: readonly DayButton[], member: Member, day: string) =>
    mayChange && (
      <Group gap={4} mt={2}>
        {found.map(({ what, label }) => (
          <Button
            key={what}
            size="compact-xs"
            variant="default"
            aria-label={`${label}, ${day} of ${nameOf(member)}`}
            onClick={() => choose({ what, member })}
          >
            {label}
          </Button>
        ))}
      </Group>
    )
  return (
    <>
      {!days.isIssued && (
        <Text size="sm" mb="xs">
          Nobody is covered yet: these are who is asked for.
        </Text>
      )}
      <Rows isUneven label="Members" columns={columnsOf(ofPolicy, buttons)} rows={rows} idOf={({ key }) => key} />
      {mayChange && (
        <Button size="xs" variant="default" mt="sm" onClick={() => choose({ what: 'join' })}>
          Let somebody join
        </Button>
      )}
      <Dialog opened={choice !== undefined} close={close} title={choice && titleOf(choice)}>
        {choice && (
          <ChangeMember choice={choice} members={members} at={at} days={ofPolicy} purpose={purpose} close={close} />
        )}
      </Dialog>
    </>
  )
}

type Row = { member: Member; key: string }
type Buttons = (found: readonly DayButton[], member: Member, day: string) => ReactNode

const columnsOf = (days: PolicyDays, buttons: Buttons): readonly Column<Row>[] =>
  [
    {
      title: 'Name',
      cell: (one: Member) => (
        <>
          <bdi>{nameOf(one)}</bdi>
          <Note>{one.person === 'member' ? 'Member' : one.relation ? wordsOf(one.relation) : undefined}</Note>
        </>
      ),
    },
    { title: 'Born', cell: ({ date_of_birth: born }: Member) => <Day day={born} /> },
    {
      title: 'Age',
      isNumber: true,
      cell: ({ date_of_birth: born }: Member) => (born === null ? '–' : ageOn(today(), born)),
    },
    {
      title: 'First day',
      cell: (one: Member) => (
        <>
          {(one.from !== null || one.asked_from === null) && <Day day={one.from} />}
          {one.asked_from !== null && (
            <span className="block">Asked from {dayText(one.asked_from)}, waits for the insurer</span>
          )}
          {buttons(firstDayButtons(one, days), one, 'first day')}
        </>
      ),
    },
    {
      title: 'Last day',
      cell: (one: Member) => (
        <>
          <Day day={one.to} />
          <Note>{lastDayNote(one, days)}</Note>
          {buttons(lastDayButtons(one, days), one, 'last day')}
        </>
      ),
    },
  ].map(({ cell, ...column }) => ({
    ...column,
    cell: ({ member }: Row) => (isGone(member) ? <span className="quiet">{cell(member)}</span> : cell(member)),
  }))

const Note = ({ children }: { children: string | undefined }) =>
  children !== undefined && <span className="quiet block">{children}</span>

/** What a last day means today. */
function lastDayNote(member: Member, { leaving }: PolicyDays): string | undefined {
  if (member.to === null) return undefined
  const now = isGone(member) ? 'No longer covered' : `Leaves ${daysFromNow(member.to)}`
  return leaving.includes(member.to) ? `${now}, waits for the insurer` : now
}
