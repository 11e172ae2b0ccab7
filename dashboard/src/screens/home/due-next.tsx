import type { ListNextActionsQuery } from '@banyan/client/operations'
import type { Role } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { NextActions } from '../../parts/next-actions.tsx'

/** What each side has to see to; administrators look after all of them. */
const FILTERS: Readonly<Record<Role, ListNextActionsQuery>> = {
  benefit_provider: { who: ['benefit_provider'] },
  platform: { who: ['platform', 'sponsor', 'user'] },
  viewer: {},
  operator: {},
  owner: {},
}

/** What is due next for the caller. */
export function DueNext() {
  const { role } = useSession()
  return <NextActions title="Due next" filter={FILTERS[role]} />
}
