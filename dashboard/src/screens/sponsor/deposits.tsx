import { type Benefit, type BenefitProviderId, type Deposit, type SponsorId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { benefitsOfSponsorQuery, depositsQuery, takesFromDeposit } from '../../api/deposits.ts'
import { DepositBalance } from '../../parts/deposit-balance.tsx'
import { DepositLink } from '../../parts/deposit-link.tsx'
import type { Column } from '../../parts/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { Named } from '../../parts/named.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { Rows } from '../../parts/rows.tsx'

type Row = {
  sponsor_id: SponsorId
  benefit_provider_id: BenefitProviderId
  /** Undefined where nothing was entered, and no level set. */
  deposit: Deposit | undefined
  /** The benefits that take premiums from it. */
  benefits: readonly Benefit[]
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Benefit provider',
    cell: (row) => (
      <DepositLink {...row}>
        <Named id={row.benefit_provider_id} isPlain />
      </DepositLink>
    ),
  },
  {
    title: 'Balance',
    cell: ({ deposit }) =>
      deposit ? <DepositBalance {...deposit} /> : <span className="quiet">Nothing was entered yet</span>,
  },
  {
    title: 'Low below',
    cell: ({ deposit }) =>
      deposit?.low_below ? <Money amount={deposit.low_below} /> : <span className="quiet">No level is set</span>,
  },
  {
    title: 'Pays the premiums of',
    cell: ({ benefits }) =>
      benefits.length === 0 ? (
        <span className="quiet">No benefit</span>
      ) : (
        <bdi>{benefits.map(({ name }) => name).join(', ')}</bdi>
      ),
  },
]

/** What the sponsor has paid in for premiums to come, at each benefit provider of its benefits. */
export function Deposits({ id }: { id: SponsorId }) {
  const deposits = useQuery(depositsQuery(id))
  const benefits = useQuery(benefitsOfSponsorQuery(id))
  return (
    <Section title="Deposits">
      <Loaded query={deposits} lines={2}>
        {(entered) => (
          <Loaded query={benefits} lines={2}>
            {(own) => {
              const rows = rowsOf(id, entered, own)
              return rows.length === 0 ? (
                <Empty title="No deposits yet">
                  The first benefit of this sponsor makes one possible. A plan says whether it takes its premiums from
                  it.
                </Empty>
              ) : (
                <Rows label="Deposits" columns={COLUMNS} rows={rows} idOf={(row) => row.benefit_provider_id} />
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}

function rowsOf(sponsor_id: SponsorId, deposits: readonly Deposit[], benefits: readonly Benefit[]): Row[] {
  const providers = new Set([...deposits, ...benefits].map((one) => one.benefit_provider_id))
  return [...providers].map((provider) => ({
    sponsor_id,
    benefit_provider_id: provider,
    deposit: deposits.find((one) => one.benefit_provider_id === provider),
    benefits: benefits.filter((one) => one.benefit_provider_id === provider && takesFromDeposit(one)),
  }))
}
