import type { Dependant, DependantId, UserId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { dependantQuery } from '../../api/people.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts } from '../../parts/page.tsx'
import { Day, Time } from '../../parts/when.tsx'
import { nameOf } from './name-of.ts'

/** A dependant and each version that it corrects, one after the other. */
export function Versions({ id, newest, purpose }: { id: UserId; newest: Dependant; purpose: string }) {
  return (
    <>
      <Version dependant={newest} />
      {newest.previous_version_id !== null && <Former id={id} version={newest.previous_version_id} purpose={purpose} />}
    </>
  )
}

function Former({ id, version, purpose }: { id: UserId; version: DependantId; purpose: string }) {
  const query = useQuery(dependantQuery(id, version, purpose))
  return (
    <Loaded query={query} lines={1}>
      {(dependant) => <Versions id={id} newest={dependant} purpose={purpose} />}
    </Loaded>
  )
}

const Version = ({ dependant }: { dependant: Dependant }) => (
  <section className="section" aria-label="Version">
    <Facts
      facts={[
        ['Name', <span dir="auto">{nameOf(dependant)}</span>],
        ['Born', <Day day={dependant.date_of_birth} />],
        ['From', <Time at={dependant.created_at} />],
      ]}
    />
  </section>
)
