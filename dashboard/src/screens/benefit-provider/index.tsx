import { benefitProviderId } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { providerQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Credentials } from '../../parts/credentials.tsx'
import { Id } from '../../parts/id.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/when.tsx'

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
        {({ code, created_at, last_modified_at }) => (
          <>
            <Section title="Benefit provider" aside={webhooks}>
              <Facts
                facts={[
                  ['Code', <Id id={code} />],
                  ['Created', <Time at={created_at} />],
                  ['Changed', <Time at={last_modified_at} />],
                ]}
              />
            </Section>
            <Credentials owner={{ kind: 'benefit_provider', id }} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
