import { useSession } from '../../api/session.ts'
import { Page } from '../../parts/page.tsx'
import { Activity } from './activity.tsx'
import { Counts } from './counts.tsx'
import { DueNext } from './due-next.tsx'
import { WorkWaiting } from './work-waiting.tsx'
import './home.css'

/** The work that waits, and counts by state. */
export function Screen() {
  const { role } = useSession()
  return (
    <Page title="Home">
      <WorkWaiting />
      <DueNext />
      {/* The desk has no counts of the service: its lists say all. */}
      {role !== 'benefit_provider' && <Counts />}
      <Activity />
    </Page>
  )
}
