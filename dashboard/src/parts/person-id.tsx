import { may } from '../api/rights.ts'
import { useSession } from '../api/session.ts'
import { Id } from './id.tsx'
import { places } from './places.ts'

/** The number of a person, which leads there for those who may read people. */
export function PersonId({ id, tab }: { id: string; tab?: string }) {
  const { role } = useSession()
  return <Id id={id} to={may(role, 'readUser') ? places.person(id, tab) : undefined} />
}
