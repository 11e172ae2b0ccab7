import { type Sponsor, sponsorId } from '@banyan/client'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { SPONSOR_TRANSITIONS } from '../../api/partner-transitions.ts'
import { sponsorQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Id } from '../../parts/id.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { StateBadge, stateText } from '../../parts/state-badge.tsx'
import { StatusChange } from '../../parts/status-change.tsx'
import { Time } from '../../parts/when.tsx'
import { transitionsOut } from '../../api/transitions.ts'
import { may } from '../../api/rights.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { EditRecord } from '../../parts/edit-record.tsx'
import { Deposits } from './deposits.tsx'
import { SPONSOR_FIELDS, sponsorPatch, sponsorTexts } from '../../parts/record-fields.ts'

/** One sponsor: what the review needs, and its result. */
export function Screen() {
  const params: { sponsorId?: string } = useParams({ strict: false })
  const id = sponsorId(params.sponsorId ?? '')
  const query = useQuery(sponsorQuery(id))
  return (
    <Page title={query.data?.name ?? 'Sponsor'} aside={<Id id={id} />}>
      <Loaded query={query} lines={6}>
        {(sponsor) => (
          <>
            <About sponsor={sponsor} />
            <Deposits id={id} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function About({ sponsor }: { sponsor: Sponsor }) {
  const { role } = useSession()
  const { id, status, sponsor_details: details } = sponsor
  const { line1, city, state, country, pincode } = sponsor.address
  const person = [details.first_name, details.last_name].filter((name) => name !== null).join(' ')
  const newBenefit = mayWrite(role) && status !== 'INACTIVE' && (
    <Button size="xs" variant="default" component={Link} to="/benefits/new" search={{ sponsor: id } as never}>
      New benefit
    </Button>
  )
  return (
    <Section
      title="Sponsor"
      aside={
        <Group gap="xs">
          {may(role, 'updateSponsor') && <Correct sponsor={sponsor} />}
          {newBenefit}
        </Group>
      }
    >
      <Facts
        facts={[
          ['State', <StateBadge state={status} />],
          ['Kind', stateText(details.sponsor_kind)],
          ['PAN', <Id id={sponsor.pan} />],
          ['Contact', person || '–'],
          ['Email', details.email ?? '–'],
          ['Phone', details.phone ?? '–'],
          ['Address', [line1, city, state, pincode, country].filter(Boolean).join(', ')],
          ['Short name', sponsor.slug],
          ['Created', <Time at={sponsor.created_at} />],
          ['Changed', <Time at={sponsor.last_modified_at} />],
        ]}
      />
      <Group mt="sm">
        <StatusChange
          transitions={transitionsOut(SPONSOR_TRANSITIONS, status, role)}
          what="The sponsor"
          set={(body, options) => banyan.sponsors.setStatus(id, body, options)}
          stale={[['sponsor', id], ['sponsors']]}
        />
      </Group>
    </Section>
  )
}

function Correct({ sponsor }: { sponsor: Sponsor }) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const changed = (now: Sponsor) => {
    queries.setQueryData(sponsorQuery(sponsor.id).queryKey, now)
    return queries.invalidateQueries({ queryKey: ['sponsors'] })
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Correct
      </Button>
      <Dialog opened={isOpen} close={close} title="Correct the sponsor" size="lg">
        <EditRecord
          record={sponsor}
          fields={SPONSOR_FIELDS}
          textsOf={sponsorTexts}
          patchOf={sponsorPatch}
          update={(patch, options) => banyan.sponsors.update(sponsor.id, patch, options)}
          read={() => banyan.sponsors.read(sponsor.id)}
          changed={changed}
          close={close}
        />
      </Dialog>
    </>
  )
}
