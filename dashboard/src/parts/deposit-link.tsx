import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { places } from './places.ts'
import { linkOf } from './url-search.ts'

type Settings = { sponsor_id: string; benefit_provider_id: string; children?: ReactNode }

/** Leads to the deposit of a sponsor at a benefit provider. */
export const DepositLink = ({ sponsor_id, benefit_provider_id, children = 'The sponsor’s deposit' }: Settings) => (
  <Anchor component={Link} size="sm" {...linkOf(places.deposit(sponsor_id, benefit_provider_id))}>
    {children}
  </Anchor>
)
