import type { User } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { banyan } from '../../api/banyan.ts'
import { fieldErrorsOf } from '../../api/problem.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty, Failed } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { Ago, Day } from '../../parts/when.tsx'
import { SearchForm, type Term } from './search-form.tsx'
import { useSearch } from './use-search.ts'

const INDIA = '+91'

const nameOf = ({ first_name, last_name }: User): string =>
  [first_name, last_name].filter((name) => name !== null).join(' ') || 'Name not given'

const COLUMNS: readonly Column<User>[] = [
  {
    title: 'Person',
    cell: (user) => (
      <Anchor component={Link} to={places.person(user.user_id)}>
        {nameOf(user)}
      </Anchor>
    ),
  },
  { title: 'Id', cell: ({ user_id }) => <Id id={user_id} /> },
  { title: 'Born', isExtra: true, cell: ({ dob }) => <Day day={dob} /> },
  { title: 'Changed', isExtra: true, cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
]

/** People group the digits of a phone or a document by blanks, which belong to neither. */
const withoutBlanks = (text = '') => text.replaceAll(/\s/g, '')

const sendFor =
  (by: 'phone' | 'id_proof') =>
  ({ code, phone, number }: Term) =>
    banyan.users.search(
      by === 'phone'
        ? { phone_country_code: withoutBlanks(code), phone_number: withoutBlanks(phone) }
        : { id_proof: { number: withoutBlanks(number).toUpperCase() } },
    )

export function FindPeople({ by }: { by: 'phone' | 'id_proof' }) {
  const { query, error, isSearching, search } = useSearch(by, sendFor(by))
  const errors = fieldErrorsOf(error)
  const fields =
    by === 'phone'
      ? [
          { name: 'code', label: 'Dial code', width: 90, initial: INDIA, error: errors['/phone_country_code'] },
          { name: 'phone', label: 'Phone number', error: errors['/phone_number'] },
        ]
      : [{ name: 'number', label: 'Number of the document', error: errors['/id_proof/number'] ?? errors['/id_proof'] }]
  const isBesideField = fields.some((field) => field.error !== undefined)
  return (
    <>
      <SearchForm fields={fields} search={search} isSearching={isSearching} />
      {error && !isBesideField && <Failed error={error} />}
      {query.data && (
        <CursorList
          label="People"
          query={query}
          columns={COLUMNS}
          idOf={({ user_id }) => user_id}
          nameOf={nameOf}
          to={({ user_id }) => places.person(user_id)}
          empty={<Empty title="Nobody was found">Check the number; it has to be whole.</Empty>}
        />
      )}
    </>
  )
}
