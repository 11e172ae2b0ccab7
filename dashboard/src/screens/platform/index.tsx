import { type Platform, platformId } from '@banyan/client'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { banyan } from '../../api/banyan.ts'
import { PLATFORM_TRANSITIONS } from '../../api/partner-transitions.ts'
import { platformQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Credentials } from '../../parts/credentials.tsx'
import { Id } from '../../parts/id.tsx'
import { NextActions } from '../../parts/next-actions.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { StateBadge, stateText } from '../../parts/state-badge.tsx'
import { StatusChange } from '../../parts/status-change.tsx'
import { Time } from '../../parts/when.tsx'
import { transitionsOut } from '../../api/transitions.ts'
import { Checklist } from './checklist.tsx'
import { WebOrigins } from './web-origins.tsx'

/** One partner company: its state, its credentials and its web pages. */
export function Screen() {
  const params: { platformId?: string } = useParams({ strict: false })
  const id = platformId(params.platformId ?? '')
  const query = useQuery(platformQuery(id))
  return (
    <Page title={query.data?.name ?? 'Platform'} aside={<Id id={id} />}>
      <Loaded query={query} lines={4}>
        {(platform) => (
          <>
            <About platform={platform} />
            <Checklist id={id} />
            <NextActions title="Next actions" filter={{ platform_id: id }} />
            <Credentials owner={{ kind: 'platform', id }} />
            <WebOrigins id={id} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function About({ platform }: { platform: Platform }) {
  const { role } = useSession()
  const { id, status } = platform
  return (
    <Section
      title="Platform"
      aside={
        mayWrite(role) && (
          <Button size="xs" variant="default" component={Link} to="/webhooks" search={{ owner: id } as never}>
            Its webhooks
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['State', <StateBadge state={status} />],
          ['Account opened by onboarding', stateText(platform.default_account_type)],
          ['Created', <Time at={platform.created_at} />],
          ['Changed', <Time at={platform.last_modified_at} />],
        ]}
      />
      <Group mt="sm">
        <StatusChange
          transitions={transitionsOut(PLATFORM_TRANSITIONS, status, role)}
          what="The platform"
          set={(body, options) => banyan.platforms.setStatus(id, body, options)}
          stale={[['platform', id], ['platforms']]}
        />
      </Group>
    </Section>
  )
}
