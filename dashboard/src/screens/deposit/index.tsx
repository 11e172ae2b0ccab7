import { benefitProviderId, type Deposit, Money as Amount, NotFoundError, sponsorId } from '@banyan/client'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type DepositRef, depositIn, depositsQuery } from '../../api/deposits.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { sponsorNameQuery } from '../../api/sponsor-names.ts'
import { DepositBalance } from '../../parts/deposit-balance.tsx'
import { Money } from '../../parts/money.tsx'
import { Named } from '../../parts/named.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/when.tsx'
import { AddEntry } from './add-entry.tsx'
import { Entries } from './entries.tsx'
import { LowBelow } from './low-below.tsx'

type Params = { sponsorId?: string; benefitProviderId?: string }

/** What one sponsor has paid in at one benefit provider for premiums to come, and what became of it. */
export function Screen() {
  const params: Params = useParams({ strict: false })
  const at = {
    sponsorId: sponsorId(params.sponsorId ?? ''),
    providerId: benefitProviderId(params.benefitProviderId ?? ''),
  }
  const { role } = useSession()
  const { data: name } = useQuery({ ...sponsorNameQuery(at.sponsorId), enabled: may(role, 'listSponsorNames') })
  const query = useQuery(depositsQuery(at.sponsorId))
  return (
    <Page
      title={
        name ? (
          <>
            Deposit of <bdi>{name}</bdi>
          </>
        ) : (
          'Deposit'
        )
      }
    >
      {query.error instanceof NotFoundError ? (
        <Empty title="This deposit does not exist here">Or your role does not see it. Check the address.</Empty>
      ) : (
        <Loaded query={query} lines={4}>
          {(deposits) => (
            <>
              <About at={at} deposit={depositIn(deposits, at) ?? NO_DEPOSIT} />
              <Section title="Entries">
                <Entries at={at} />
              </Section>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

type Known = Pick<Deposit, 'balance' | 'low_below'> & { last_modified_at: Date | null }

/** What stands where nothing was entered, and no level set. */
const NO_DEPOSIT: Known = { balance: Amount.paise(0), low_below: null, last_modified_at: null }

type AboutSettings = { at: DepositRef; deposit: Known }

function About({ at, deposit }: AboutSettings) {
  const { balance, low_below: low, last_modified_at: changed } = deposit
  return (
    <Section title="Deposit" aside={<AddEntry at={at} balance={balance} />}>
      <Facts
        facts={[
          ['Sponsor', <Named id={at.sponsorId} />],
          ['Benefit provider', <Named id={at.providerId} />],
          ['Balance', <DepositBalance balance={balance} low_below={low} />],
          ['Low below', low === null ? 'No level is set' : <Money amount={low} />],
          ['Changed', changed === null ? 'Nothing was entered yet' : <Time at={changed} />],
        ]}
      />
      {balance.paise < 0 && (
        <Text size="sm" mt="sm">
          Premiums were taken from money that is gone. No policy ends by it, but none is issued or renewed from this
          deposit until the sponsor has paid.
        </Text>
      )}
      <Group mt="sm" gap="xs">
        <LowBelow at={at} level={low} />
      </Group>
    </Section>
  )
}
