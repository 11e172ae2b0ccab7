import { NotFoundError, userId, type UserId } from '@banyan/client'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { lifeQuery, profileQuery } from '../../api/people.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Facts, Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import { nameOf } from './name-of.ts'
import type { Looker } from './sealed.tsx'
import { TABS } from './tabs.ts'
import './person.css'

/** One person. The profile and all that shows something of them stay sealed until somebody says why they are needed. */
export function Screen() {
  const params: { userId?: string } = useParams({ strict: false })
  const id = userId(params.userId ?? '')
  return <Person key={id} id={id} />
}

function Person({ id }: { id: UserId }) {
  const { role } = useSession()
  const [{ tab }] = useUrlState()
  const [purpose, setPurpose] = useState<string>()
  const tabs = TABS.filter(({ right }) => right === undefined || may(role, right))
  const current = tabs.find((one) => one.id === (textIn(tab) ?? '')) ?? tabs[0]
  const looker: Looker = { id, purpose, give: setPurpose }
  const { data: life } = useQuery(lifeQuery(id))
  const { error } = useQuery(profileQuery(id, purpose))
  const nobody = life?.state === 'ERASED' ? ERASED : error instanceof NotFoundError ? UNKNOWN_PERSON : undefined
  if (nobody)
    return (
      <Page title={<PersonTitle id={id} />} aside={<Id id={id} />}>
        <Empty title={nobody.title}>{nobody.why}</Empty>
      </Page>
    )
  return (
    <Page title={<PersonTitle id={id} />} aside={<Id id={id} />}>
      <Summary {...looker} />
      <Group component="nav" gap="lg" className="tabs" aria-label="About this person">
        {tabs.map(({ id: name, title }) => (
          <Anchor
            key={name}
            component={Link}
            to="."
            search={(name === '' ? {} : { tab: name }) as never}
            className="tab"
            activeOptions={{ exact: true }}
            aria-current={name === current?.id ? 'page' : undefined}
            ref={name === current?.id ? showTab : undefined}
          >
            {title}
          </Anchor>
        ))}
      </Group>
      {current && <current.Tab key={current.id} {...looker} />}
    </Page>
  )
}

const ERASED = {
  title: 'This person was erased',
  why: 'The key of the data is destroyed, so nobody can read it again. The audit keeps who erased it, and when.',
}
const UNKNOWN_PERSON = {
  title: 'This person does not exist here',
  why: 'Erased more than 30 days ago, of a partner that you do not see, or the number is wrong.',
}

/** On a phone the tabs are wider than the window. */
const showTab = (tab: HTMLAnchorElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'center' })

function PersonTitle({ id }: { id: UserId }) {
  const { data } = useQuery(lifeQuery(id))
  return <>Person {data?.state && <StateBadge state={data.state} />}</>
}

/** What is known without opening the profile; and the name, as soon as it is open. */
function Summary({ id, purpose }: Looker) {
  const { role } = useSession()
  const { data: life } = useQuery(lifeQuery(id))
  const { data: profile } = useQuery(profileQuery(id, purpose))
  const createdAt = profile?.created_at ?? life?.createdAt
  const isLoading = life === undefined
  const partner = isLoading ? '…' : life.platformId !== null && <Named id={life.platformId} />
  const changedAt = profile?.last_modified_at ?? life?.changedAt
  return (
    <Facts
      facts={[
        ['Name', profile ? nameOf(profile) : <span className="quiet">Sealed</span>],
        // Without an event of the last 30 days they are not known, or only once the profile is open.
        ...(partner && may(role, 'listPlatforms') ? [['Partner', partner] as const] : []),
        ...(createdAt ? [['Created', <Time at={createdAt} />] as const] : []),
        ['Changed', changedAt ? <Time at={changedAt} /> : isLoading ? '…' : NOT_LATELY],
      ]}
    />
  )
}

const NOT_LATELY = <span className="quiet">Not within 30 days</span>
