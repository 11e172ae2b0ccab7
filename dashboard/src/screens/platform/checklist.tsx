import type { PlatformId } from '@banyan/client'
import { Anchor, Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { onboardingQuery, type Step, STEPS, type StepState } from '../../api/onboarding.ts'
import { useSession } from '../../api/session.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { linkOf } from '../../parts/url-search.ts'

type Words = { title: string; missing: ReactNode; waits?: string; to?: (id: PlatformId) => string }

const WORDS: Record<Step, Words> = {
  sponsor: {
    title: 'An active sponsor',
    missing: 'Who pays. Create one for this platform.',
    waits: 'There is one, but none is active: review it and activate it.',
    to: () => '/sponsors',
  },
  benefit: {
    title: 'A benefit with a plan',
    missing: 'What that sponsor pays for. Create one; it names the benefit provider, too.',
    waits: 'There is one, but its sponsor is not active.',
    to: () => '/benefits',
  },
  provider: {
    title: 'A benefit provider with a credential',
    missing:
      'Its program issues the policies of that benefit. Create a credential on the page of the benefit provider.',
    to: () => '/benefit_providers',
  },
  credential: {
    title: 'A credential of the platform',
    missing: 'Its server gets tokens with it. Create one below.',
  },
  webhooks: {
    title: 'A webhook endpoint',
    missing: 'Only the platform itself can create one: its support under “Webhooks”, or its program.',
    waits: 'There is one, but it is disabled. Its owner enables it again.',
    to: (id) => `/webhooks?owner=${id}`,
  },
}

const BADGES: Record<StepState, string> = { done: 'THERE', missing: 'MISSING', waits: 'WAITING', unknown: 'NOT_SHOWN' }

const READ_BANKS = `curl --header "admin-api-key: $(cat \${DATA_DIR:-.banyan}/keys/admin-api-key)" \\
  ${location.origin}/v1/account_providers`

/** What is missing until the first policy of a platform can be issued. */
export function Checklist({ id }: { id: PlatformId }) {
  const { role } = useSession()
  const query = useQuery(onboardingQuery(id, role))
  return (
    <Section title="Until the first policy can be issued">
      <Loaded query={query} lines={6}>
        {(states) => (
          <ol className="checklist">
            {STEPS.map((step) => (
              <Item key={step} words={WORDS[step]} state={states[step]} id={id} />
            ))}
            <li>
              <StateBadge state="NOT_SHOWN" />
              <div>
                <Text size="sm" fw={600}>
                  An account provider
                </Text>
                <Text size="sm" c="dimmed" component="div">
                  The bank that opens accounts; policies are issued without one. No login may read it: who holds the
                  administrator key runs this on the host of the service.
                  <Code block className="lines">
                    {READ_BANKS}
                  </Code>
                </Text>
              </div>
            </li>
          </ol>
        )}
      </Loaded>
    </Section>
  )
}

function Item({ words, state, id }: { words: Words; state: StepState; id: PlatformId }) {
  const { title, missing, waits, to } = words
  return (
    <li>
      <StateBadge state={BADGES[state]} />
      <div>
        <Text size="sm" fw={600}>
          {to ? (
            <Anchor inherit component={Link} {...(linkOf(to(id)) as { to: string })}>
              {title}
            </Anchor>
          ) : (
            title
          )}
        </Text>
        {state !== 'done' && (
          <Text size="sm" c="dimmed">
            {state === 'waits' ? waits : missing}
          </Text>
        )}
      </div>
    </li>
  )
}
