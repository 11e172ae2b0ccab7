import { useSession } from '../../api/session.ts'
import { Page } from '../../parts/page.tsx'
import { Counts } from './counts.tsx'
import { WorkWaiting } from './work-waiting.tsx'
import './home.css'

/** What waits for whoever is here, and how things stand. */
export function Screen() {
  const { role } = useSession()
  return (
    <Page title="Home">
      <WorkWaiting />
      {/* The desk has no counts of the service: its lists say all. */}
      {role !== 'benefit_provider' && <Counts />}
    </Page>
  )
}
