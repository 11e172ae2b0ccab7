import type { FoundInsurancePolicy, User } from '@banyan/client'
import { Anchor, Button, Group, List, Stack } from '@mantine/core'
import { skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { namesQuery } from '../../api/names.ts'
import { fieldErrorsOf } from '../../api/problem.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { eventPlaceOf } from '../../parts/event-place.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { isNamed, Named } from '../../parts/named.tsx'
import { Empty, Failed, Loading } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { linkOf } from '../../parts/url-search.ts'
import { places } from '../../parts/places.ts'
import { idColumnIn, placeOfPolicy, policyColumnsIn } from '../../parts/policy-columns.tsx'
import { Ago, Day } from '../../parts/when.tsx'
import { RetainedPolicies } from './retained-policies.tsx'
import { foundPoliciesQuery, lastEventQuery, peopleQuery } from './find.ts'
import type { Terms } from './terms.ts'
import { sponsorNamesQuery } from '../../api/sponsor-names.ts'

const nameOf = ({ first_name, last_name }: User): string =>
  [first_name, last_name].filter((name) => name !== null).join(' ') || 'Name not given'

const PEOPLE: readonly Column<User>[] = [
  {
    title: 'Person',
    cell: (user) => (
      <Anchor component={Link} to={places.person(user.user_id)}>
        <bdi>{nameOf(user)}</bdi>
      </Anchor>
    ),
  },
  { title: 'Id', cell: ({ user_id }) => <Id id={user_id} /> },
  { title: 'Born', isExtra: true, cell: ({ dob }) => <Day day={dob} /> },
  { title: 'Changed', isExtra: true, cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
]

const POLICIES = [...policyColumnsIn(placeOfPolicy), idColumnIn(placeOfPolicy)]

type PagesQuery<Row> = {
  data: { pages: readonly { data: readonly Row[] }[] } | undefined
  error: Error | null
  isFetching: boolean
  hasNextPage: boolean
  fetchNextPage: () => unknown
}

/** All that a text can mean to this role, one below the other. */
export function Results({ terms }: { terms: Terms }) {
  const { role } = useSession()
  const findsPeople = may(role, 'searchUsers')
  const by = <By, Query>(value: By | undefined | false, query: (by: By) => Query, none: Query): Query =>
    value === undefined || value === false ? none : query(value)
  const { phone, idProof, employeeNumber, policyNumber, groupNumber } = terms
  const off = { queryFn: skipToken as never, enabled: false }
  const noPeople = { ...peopleQuery({ id_proof: { number: '' } }), ...off }
  const noPolicies = { ...foundPoliciesQuery({ policy_number: '' }), ...off }
  const people = [
    useInfiniteQuery(by(findsPeople && phone, peopleQuery, noPeople)),
    useInfiniteQuery(by(findsPeople && idProof, (number) => peopleQuery({ id_proof: { number } }), noPeople)),
    useInfiniteQuery(by(findsPeople && employeeNumber, (number) => peopleQuery({ employee_number: number }), noPeople)),
  ]
  const policies = [
    useInfiniteQuery(by(policyNumber, (number) => foundPoliciesQuery({ policy_number: number }), noPolicies)),
    useInfiniteQuery(by(groupNumber, (number) => foundPoliciesQuery({ master_policy_number: number }), noPolicies)),
  ]
  const { data: names } = useQuery(namesQuery(role))
  const isByName = terms.name !== undefined
  const sponsors = useQuery({ ...sponsorNamesQuery, enabled: isByName && may(role, 'listSponsorNames') })
  const companies = matching(isByName ? [...(names ?? []), ...(sponsors.data ?? [])] : [], terms.name ?? '')
  const opensPerson = terms.personId !== undefined && may(role, 'readUser')
  const all = [...people, ...policies]
  const isSearching = sponsors.isLoading || all.some(({ isLoading }) => isLoading)
  const isNothing =
    !isSearching &&
    all.every(({ data, error }) => error === null && rowsOf<unknown>(data).length === 0) &&
    companies.length === 0 &&
    !opensPerson &&
    terms.recordId === undefined
  /** Only a number has to be checked. */
  const isWords = isByName && policyNumber === undefined
  return (
    <Stack gap="md" aria-busy={isSearching}>
      {isSearching && <Loading lines={3} />}
      {people.map((query, index) => (
        <Found
          key={index}
          query={query}
          label="People"
          columns={PEOPLE}
          idOf={({ user_id }) => user_id}
          nameOf={nameOf}
          to={({ user_id }) => places.person(user_id)}
        />
      ))}
      {policies.map((query, index) => (
        <Found<FoundInsurancePolicy>
          key={index}
          query={query}
          only={({ retained }) => retained === null}
          label="Policies found"
          columns={POLICIES}
          idOf={({ id }) => id}
          nameOf={({ id }) => `policy ${id}`}
          to={placeOfPolicy}
        />
      ))}
      <RetainedPolicies policies={policies.flatMap(({ data }) => rowsOf(data))} />
      {opensPerson && (
        <Anchor component={Link} to={places.person(terms.personId ?? '')}>
          The person {terms.personId}
        </Anchor>
      )}
      {companies.length > 0 && (
        <Section title="Companies, benefits and administrators">
          <List size="sm" aria-label="Companies">
            {companies.map((id) => (
              <List.Item key={id}>
                <Named id={id} />
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      {terms.recordId !== undefined && <Record id={terms.recordId} />}
      {isNothing && (
        <Empty title="Nothing was found">
          {isWords
            ? 'Names of people are sealed, so they cannot be searched: ask for a phone or another number.'
            : 'Check the number; it has to be whole. A dial code stands apart: +44 7700 900123.'}
        </Empty>
      )}
    </Stack>
  )
}

const matching = (names: readonly (readonly [id: string, name: string])[], part: string): string[] =>
  names.filter(([, name]) => name.toLocaleLowerCase().includes(part)).map(([id]) => id)

const rowsOf = <Row,>(data: PagesQuery<Row>['data']): Row[] => data?.pages.flatMap((page) => [...page.data]) ?? []

type FoundSettings<Row> = {
  query: PagesQuery<Row>
  label: string
  columns: readonly Column<Row>[]
  /** Which of those that were found are rows of the list. */
  only?: (row: Row) => boolean
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  to: (row: Row) => string
}

/** What was found of a kind, with all its pages; nothing where there is none. */
function Found<Row>({ query, only = () => true, ...list }: FoundSettings<Row>): ReactNode {
  const rows = rowsOf(query.data).filter(only)
  // What is no phone is none: only the number as it was typed can be wrong.
  if (query.error) return Object.keys(fieldErrorsOf(query.error)).length > 0 ? null : <Failed error={query.error} />
  if (rows.length === 0 && !query.hasNextPage) return null
  const shown = {
    data: { data: rows, next: null },
    error: null,
    fetchStatus: 'idle' as const,
    refetch: () => undefined,
  }
  return (
    <div>
      <CursorList {...list} query={shown} empty={null} />
      {query.hasNextPage && (
        <Group justify="flex-end">
          <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </div>
  )
}

/** A record with a screen of its own, or the one that its last event leads to. */
function Record({ id }: { id: string }) {
  const { role } = useSession()
  const query = useQuery({ ...lastEventQuery(id), enabled: !isNamed(id) })
  if (isNamed(id)) return <Named id={id} />
  if (query.error) return <Failed error={query.error} />
  if (query.isLoading) return <Loading lines={1} />
  const place = query.data ? eventPlaceOf(query.data, role) : undefined
  if (place === undefined)
    return (
      <Empty title="Nothing leads to this id">
        Nothing has happened to it in the last 30 days that your role sees.
      </Empty>
    )
  return (
    <Anchor component={Link} {...linkOf(place)}>
      The record of {id}
    </Anchor>
  )
}
