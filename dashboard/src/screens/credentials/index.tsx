import { useSession } from '../../api/session.ts'
import { Credentials } from '../../parts/credentials.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'

/** A partner’s own credentials. An operator creates and revokes them. */
export function Screen() {
  const { role, ownerId } = useSession()
  if (ownerId === null) return <Empty title="You belong to no partner" />
  return (
    <Page title="Credentials">
      <Credentials owner={{ kind: role === 'platform' ? 'platform' : 'benefit_provider', id: ownerId }} />
    </Page>
  )
}
