import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { type Waiting, WAITING_WORK, type WaitingWork, waitingQuery, type WorkName } from '../../api/waiting-work.ts'
import { Section } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { countText } from '../../parts/texts.ts'
import { Ago } from '../../parts/when.tsx'

type Place = { to: string; search?: Record<string, string | string[]> }

/** The list begins with the one whose age is shown. */
const OLDEST = { order: 'oldest' }

const PLACES: Readonly<Record<WorkName, Place>> = {
  applications: { to: places.policies, search: { status: ['PENDING', 'VERIFICATION', 'APPROVED'], ...OLDEST } },
  'sent-back': { to: places.policies, search: { sent_back: 'true' } },
  reissues: { to: places.policies, search: { status: 'REQUIRES_POLICY_REISSUANCE', ...OLDEST } },
  endorsements: { to: places.endorsements },
  renewals: { to: places.policies, search: { status: 'REQUIRES_CUSTOMER_RENEWAL', ...OLDEST } },
  grace: { to: places.policies, search: { status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', ...OLDEST } },
  consultations: { to: places.consultations, search: OLDEST },
  wallets: { to: places.wallets, search: OLDEST },
  accounts: { to: places.accounts, search: OLDEST },
  webhooks: { to: places.webhooks },
}

/** Each kind of work that the person can do something about, with its number and its age. */
export function WorkWaiting() {
  const { role } = useSession()
  const own = WAITING_WORK.filter(({ who }) => who.includes(role))
  return (
    <div className="works">
      <Cards
        title="Waiting for you"
        note="With the age of the oldest"
        works={own.filter(({ isForCustomer }) => !isForCustomer)}
      />
      <Cards title="Waiting for the customer" works={own.filter(({ isForCustomer }) => isForCustomer)} />
    </div>
  )
}

function Cards({ title, note, works }: { title: string; note?: string; works: readonly WaitingWork[] }) {
  return (
    <Section
      title={title}
      aside={
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      }
    >
      <div className="work">
        {works.map((work) => (
          <Card key={work.name} {...work} />
        ))}
      </div>
    </Section>
  )
}

function Card({ name, title }: WaitingWork) {
  const { data, isError } = useQuery(waitingQuery(name))
  return (
    <Link
      {...(PLACES[name] as { to: string })}
      data-empty={data?.count === 0 || undefined}
      aria-busy={!data && !isError}
    >
      <span>{title}</span>
      <strong>{data ? numberText(data) : isError ? '?' : '…'}</strong>
      <small>
        {data?.oldest && <Ago at={data.oldest} />}
        {data?.count === 0 && 'none waiting'}
        {isError && 'could not be counted'}
      </small>
    </Link>
  )
}

const numberText = ({ count, isMore }: Waiting): string => `${countText(count)}${isMore ? '+' : ''}`
