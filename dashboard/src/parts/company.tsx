import { useQuery } from '@tanstack/react-query'
import { type CompanyKind, namesQuery } from '../api/names.ts'
import { may, type Right } from '../api/rights.ts'
import { useSession } from '../api/session.ts'
import { Id } from './id.tsx'
import { NameLink } from './name-link.tsx'
import { places } from './places.ts'

type Kind = { place: (id: string) => string; right: Right }

/** The kinds of companies by the beginning of their ids; who may list a kind sees the screens of its companies. */
const KINDS: Readonly<Record<CompanyKind, Kind>> = {
  plt: { place: places.platform, right: 'listPlatforms' },
  bpr: { place: places.benefitProvider, right: 'listPlatforms' }, // every role lists them, administrators have the screen
  spn: { place: places.sponsor, right: 'listSponsors' },
}

const kindOf = (id: string): Kind | undefined => (KINDS as Partial<Record<string, Kind>>)[id.split('_')[0] ?? '']

export const isCompany = (id: string): boolean => kindOf(id) !== undefined

/** A company by its name, which leads to its screen; by its id where the name is not known. */
export function Company({ id }: { id: string }) {
  const { role } = useSession()
  const { data } = useQuery(namesQuery(role))
  const name = data?.get(id)
  const kind = kindOf(id)
  const to = kind && may(role, kind.right) ? kind.place(id) : undefined
  if (name === undefined) return <Id id={id} {...(to !== undefined && { to })} />
  return to === undefined ? <>{name}</> : <NameLink name={name} to={to} />
}
