import { type BenefitProvider, benefitProviderId } from '@banyan/client'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { NAMES_KEY } from '../../api/names.ts'
import { providerQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Credentials } from '../../parts/credentials.tsx'
import { Id } from '../../parts/id.tsx'
import { NextActions } from '../../parts/next-actions.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/when.tsx'
import { may } from '../../api/rights.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { EditRecord } from '../../parts/edit-record.tsx'
import { PROVIDER_FIELDS, providerPatch, providerTexts } from '../../parts/record-fields.ts'

/** One insurer or clinic network, with its credentials. */
export function Screen() {
  const params: { benefitProviderId?: string } = useParams({ strict: false })
  const id = benefitProviderId(params.benefitProviderId ?? '')
  const { role } = useSession()
  const query = useQuery(providerQuery(id))
  const webhooks = mayWrite(role) && (
    <Button size="xs" variant="default" component={Link} to="/webhooks" search={{ owner: id } as never}>
      Its webhooks
    </Button>
  )
  return (
    <Page title={query.data?.name ?? 'Benefit provider'} aside={<Id id={id} />}>
      <Loaded query={query} lines={4}>
        {(provider) => (
          <>
            <Section
              title="Benefit provider"
              aside={
                <Group gap="xs">
                  {may(role, 'updateBenefitProvider') && <Edit provider={provider} />}
                  {webhooks}
                </Group>
              }
            >
              <Facts
                facts={[
                  ['Code', <Id id={provider.code} />],
                  ['Colour of documents', <Colour colour={provider.colour} />],
                  ['Address', <span dir="auto">{addressText(provider.address)}</span>],
                  ['Created', <Time at={provider.created_at} />],
                  ['Changed', <Time at={provider.last_modified_at} />],
                ]}
              />
            </Section>
            <NextActions title="Next actions" filter={{ who: ['benefit_provider'], benefit_provider_id: id }} />
            <Credentials owner={{ kind: 'benefit_provider', id }} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const addressText = (address: BenefitProvider['address']): string =>
  address === null
    ? 'Not given'
    : [address.line1, address.line2, address.city, `${address.state} ${address.pincode}`, address.country]
        .filter(Boolean)
        .join(', ')

function Colour({ colour }: { colour: string | null }) {
  if (colour === null) return <>Not given</>
  return (
    <>
      <svg width="12" height="12" aria-hidden="true">
        <rect width="12" height="12" rx="2" fill={colour} />
      </svg>{' '}
      {colour}
    </>
  )
}

function Edit({ provider }: { provider: BenefitProvider }) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const changed = (now: BenefitProvider) => {
    queries.setQueryData(providerQuery(provider.id).queryKey, now)
    return Promise.all([NAMES_KEY, ['benefit_providers']].map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog opened={isOpen} close={close} title="Edit the benefit provider" size="lg">
        <EditRecord
          record={provider}
          fields={PROVIDER_FIELDS}
          textsOf={providerTexts}
          patchOf={providerPatch}
          update={(patch, options) => banyan.benefitProviders.update(provider.id, patch, options)}
          read={() => banyan.benefitProviders.read(provider.id)}
          changed={changed}
          close={close}
        />
      </Dialog>
    </>
  )
}
