import { useQuery } from '@tanstack/react-query'
import { type NamedKind, namesQuery } from '../api/names.ts'
import { may, type Right } from '../api/rights.ts'
import { useSession } from '../api/session.ts'
import { Id } from './id.tsx'
import { NameLink } from './name-link.tsx'
import { places } from './places.ts'
import { sponsorNameQuery } from '../api/sponsor-names.ts'

type Kind = { place: (id: string) => string; right: Right }

/** The kinds of records with names, by the beginning of their ids; who may list a kind sees its screens. */
const KINDS: Readonly<Record<NamedKind, Kind>> = {
  plt: { place: places.platform, right: 'listPlatforms' },
  bpr: { place: places.benefitProvider, right: 'listPlatforms' }, // every role lists them, administrators have the screen
  spn: { place: places.sponsor, right: 'listSponsors' },
  bnf: { place: places.benefit, right: 'listBenefits' },
  adm: { place: places.administrator, right: 'listAdministrators' },
}

const kindOf = (id: string): Kind | undefined => (KINDS as Partial<Record<string, Kind>>)[id.split('_')[0] ?? '']

export const isNamed = (id: string): boolean => kindOf(id) !== undefined

type NamedSettings = {
  id: string
  isPlain?: boolean
  /** Where it leads instead of to its own screen. */
  to?: string | undefined
}

/**
 * A company, a benefit or an administrator by its name, which leads to its screen; by its id where the name is not known, but not while
 * the names are read. `isPlain`: leads nowhere, in a row that leads to something else.
 */
export function Named({ id, isPlain = false, to: other }: NamedSettings) {
  const { role } = useSession()
  const isSponsor = id.startsWith('spn_')
  const names = useQuery({ ...namesQuery(role), enabled: !isSponsor })
  const sponsor = useQuery({ ...sponsorNameQuery(id), enabled: isSponsor && may(role, 'listSponsorNames') })
  const isLoading = names.isLoading || sponsor.isLoading
  const name = (isSponsor ? sponsor.data : names.data?.get(id)) ?? undefined
  const kind = kindOf(id)
  const own = kind && !isPlain && may(role, kind.right) ? kind.place(id) : undefined
  const to = other ?? own
  if (isLoading) return <>…</>
  if (name === undefined) return <Id id={id} {...(to !== undefined && { to })} />
  return to === undefined ? <bdi>{name}</bdi> : <NameLink name={name} to={to} />
}
