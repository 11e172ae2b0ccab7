import type { User } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { profileQuery, referenceQuery } from '../../api/people.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Day } from '../../parts/when.tsx'
import { EditProfile } from './edit-profile.tsx'
import { nameOf } from './name-of.ts'
import { type Looker, Sealed } from './sealed.tsx'

export function Profile(looker: Looker) {
  return (
    <Sealed looker={looker} what="profile">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const query = useQuery(profileQuery(id, purpose))
  const { role } = useSession()
  const { data: reference } = useQuery(referenceQuery(id, purpose))
  const [isEditing, setEditing] = useState(false)
  const close = () => setEditing(false)
  return (
    <Section
      title="Profile"
      aside={
        may(role, 'updateUser') && (
          <Button size="xs" variant="default" disabled={!query.data} onClick={() => setEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(user) => (
          <>
            <Facts facts={[...factsOf(user), ['Employee number', reference?.employee_number ?? '–']]} />
            <Dialog opened={isEditing} close={close} title="Edit the profile" size="lg">
              <EditProfile user={user} purpose={purpose} close={close} />
            </Dialog>
          </>
        )}
      </Loaded>
    </Section>
  )
}

const factsOf = (user: User) =>
  [
    ['Name', <span dir="auto">{nameOf(user)}</span>],
    [
      'Phone',
      user.phone_number === '' ? 'None: the number was set free' : `${user.phone_country_code} ${user.phone_number}`,
    ],
    ['Email', user.email ?? '–'],
    ['Born', <Day day={user.dob} />],
    ['Address', <span dir="auto">{addressText(user.address)}</span>],
  ] as const

function addressText(address: User['address']): string {
  if (address === undefined) return '–'
  if (typeof address === 'string') return address
  const { line1, line2, city, state, pincode, country } = address
  return [line1, line2, city, `${state} ${pincode}`, country]
    .filter((line) => line !== undefined && line !== '')
    .join(', ')
}
