import type { ComponentType } from 'react'
import type { Right } from '../../api/rights.ts'
import { Access } from './access.tsx'
import { Accounts } from './accounts.tsx'
import { Codes } from './codes.tsx'
import { Consents } from './consents.tsx'
import { Consultations } from './consultations.tsx'
import { Data } from './data.tsx'
import { Dependants } from './dependants.tsx'
import { Next } from './next.tsx'
import { Policies } from './policies.tsx'
import { Profile } from './profile.tsx'
import { RightsRequests } from './rights-requests.tsx'
import type { Looker } from './sealed.tsx'
import { WalletTab } from './wallet.tsx'

type Tab = {
  /** Its name in the address. */
  id: string
  title: string
  /** What one must be allowed to see it; without it, everyone who sees the person does. */
  right?: Right
  Tab: ComponentType<Looker>
}

export const TABS: readonly Tab[] = [
  { id: '', title: 'Profile', Tab: Profile },
  { id: 'next', title: 'Next', right: 'listUserNextActions', Tab: Next },
  { id: 'dependants', title: 'Dependants', Tab: Dependants },
  { id: 'policies', title: 'Policies', Tab: Policies },
  { id: 'accounts', title: 'Accounts', Tab: Accounts },
  { id: 'wallet', title: 'Wallet', Tab: WalletTab },
  { id: 'consultations', title: 'Consultations', right: 'listConsultations', Tab: Consultations },
  { id: 'codes', title: 'One-time codes', right: 'listOneTimeCodes', Tab: Codes },
  { id: 'consents', title: 'Consents', right: 'listConsents', Tab: Consents },
  { id: 'rights', title: 'Rights requests', right: 'listRightsRequests', Tab: RightsRequests },
  { id: 'access', title: 'Access log', right: 'listAccessLog', Tab: Access },
  { id: 'data', title: 'Export and erasure', right: 'exportUser', Tab: Data },
]
