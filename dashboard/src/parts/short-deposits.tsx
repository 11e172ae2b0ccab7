import type { BenefitId } from '@banyan/client'
import { Stack, Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { isShort } from '../api/deposits.ts'
import { benefitQuery } from '../api/partners.ts'
import { type PolicyRef, policyQuery } from '../api/policies.ts'
import { DepositLink } from './deposit-link.tsx'
import { Named } from './named.tsx'

type Settings = {
  /** One for each policy that is not paid for. */
  benefits: readonly BenefitId[]
}

/** Leads to the deposits that lack money. */
export function ShortDeposits({ benefits }: Settings) {
  const isOfMany = benefits.length > 1
  const read = useQueries({ queries: [...new Set(benefits)].map(benefitQuery) })
  const known = read.flatMap(({ data }) => data ?? [])
  const deposits = new Map(known.map((one) => [`${one.sponsor_id} ${one.benefit_provider_id}`, one]))
  if (deposits.size === 0) return null
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm">
        {isOfMany && 'Each lacks that by itself, together they lack more. '}When the sponsor has paid, enter the payment
        in its deposit, then try again.
      </Text>
      {[...deposits].map(([key, deposit]) => (
        <DepositLink key={key} {...deposit}>
          Deposit of <Named id={deposit.sponsor_id} isPlain />
        </DepositLink>
      ))}
    </Stack>
  )
}

/** The same after an error about one policy; nothing after any other error. */
export function ShortDepositOf({ policy, error }: { policy: PolicyRef; error: Error }) {
  const hasNotPaid = isShort(error)
  const { data } = useQuery({ ...policyQuery(policy), enabled: hasNotPaid })
  return hasNotPaid && data ? <ShortDeposits benefits={[data.benefit_id]} /> : null
}
