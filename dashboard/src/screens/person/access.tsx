import type { AccessEntry } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { accessLogQuery, type Numbered } from '../../api/people.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import type { Looker } from './sealed.tsx'

const KINDS: Readonly<Record<string, string>> = {
  platform: 'Partner',
  benefit_provider: 'Provider',
  user: 'The person',
  administrator: 'Administrator',
  program: 'Program',
  holder_of_card: 'Holder of the card',
}

const COLUMNS: readonly Column<Numbered<AccessEntry>>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ actor }) => <ActorName name={actor.name} /> },
  { title: 'Kind', isExtra: true, cell: ({ actor }) => KINDS[actor.kind] ?? actor.kind },
  { title: 'What', cell: ({ operation }) => operation },
  { title: 'Why', isExtra: true, cell: ({ purpose }) => purpose ?? <span className="quiet">–</span> },
]

/** People of companies, by whose ids the service names them, by their names where the role may know them. */
function ActorName({ name }: { name: string }) {
  const { role } = useSession()
  const names = useQuery(namesQuery(role))
  return <bdi className="breaks">{name.replaceAll(/\badm_[0-9a-z]+/g, (id) => names.data?.get(id) ?? id)}</bdi>
}

/** Who has looked at the person’s data or changed it; the person can read the same. */
export function Access({ id }: Looker) {
  const [{ after }] = useUrlState()
  const query = useQuery(accessLogQuery(id, textIn(after)))
  return (
    <CursorList
      label="Access log"
      csv={() => csvOf.ofPerson.access(id)}
      query={query}
      columns={COLUMNS}
      idOf={({ number }) => number}
      nameOf={({ operation }) => operation}
      empty={<Empty title="Nobody has looked yet" />}
    />
  )
}
