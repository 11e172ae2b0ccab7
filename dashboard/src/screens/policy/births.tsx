import type { InsurancePolicy, UserId } from '@banyan/client'
import { Table } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dependantQuery, profileQuery } from '../../api/people.ts'
import { AskPurpose } from '../../parts/ask-purpose.tsx'
import { Failed } from '../../parts/outcomes.tsx'
import { ageOn, today } from '../../parts/texts.ts'
import { Day } from '../../parts/when.tsx'

type BirthSettings = { policy: InsurancePolicy; userId: UserId; nameOf: (person: PersonName) => string }
type PersonName = { first_name: string | null; last_name: string | null }

/** When the people on a policy were born, for those who may read them; opening them stands in the access log. */
export function Births(settings: BirthSettings) {
  const [purpose, setPurpose] = useState<string>()
  if (purpose !== undefined) return <Opened {...settings} purpose={purpose} />
  return <AskPurpose label="Show births" give={async (given) => setPurpose(given)} />
}

function Opened({ policy, userId, nameOf, purpose }: BirthSettings & { purpose: string }) {
  const { primary_member: member, dependants } = policy
  const profile = useQuery(profileQuery(userId, purpose))
  const versions = useQueries({
    queries: dependants.map(({ id }) => dependantQuery(userId, id, purpose)),
  })
  const failed = [profile, ...versions].find(({ error }) => error)
  if (failed?.error) return <Failed error={failed.error} />
  const people = [
    { ...member, born: profile.data?.dob ?? null },
    ...dependants.map((dependant, index) => ({ ...dependant, born: versions[index]?.data?.date_of_birth ?? null })),
  ]
  return (
    <Table className="list" aria-label="Births">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Born</Table.Th>
          <Table.Th data-number>Age</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map(({ id, born, ...person }) => (
          <Table.Tr key={id}>
            <Table.Td dir="auto">{nameOf(person)}</Table.Td>
            <Table.Td>
              <Day day={born} />
            </Table.Td>
            <Table.Td data-number>{born === null ? '–' : ageOn(today(), born)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
