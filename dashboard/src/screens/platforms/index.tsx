import type { Platform } from '@banyan/client'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { banyan } from '../../api/banyan.ts'
import { NAMES_KEY } from '../../api/names.ts'
import { platformsQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { NameLink } from '../../parts/name-link.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { StateBadge, stateText } from '../../parts/state-badge.tsx'
import { useStateFilter } from '../../parts/state-filter.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'

const placeOf = ({ id }: Platform) => places.platform(id)

const ACCOUNT_TYPES = ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR'] as const

const COLUMNS: readonly Column<Platform>[] = [
  { title: 'Platform', cell: (row) => <NameLink name={row.name} to={placeOf(row)} /> },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Id', isExtra: true, cell: ({ id }) => <Id id={id} /> },
  { title: 'Changed', isExtra: true, cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
]

/** The partner companies that use the service. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const { chosen, filter } = useStateFilter(['ACTIVE', 'INACTIVE'])
  const query = useQuery(platformsQuery(chosen, textIn(state['after'])))
  return (
    <Page title="Platforms" aside={mayWrite(role) && <NewPlatform />}>
      <Group gap="sm">{filter}</Group>
      <CursorList
        label="Platforms"
        csv={() => csvOf.platforms(chosen)}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        to={placeOf}
        empty={<Empty title="No platforms here">Choose other states, or create one.</Empty>}
      />
    </Page>
  )
}

function NewPlatform() {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const close = () => setOpen(false)
  const create = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const type = ACCOUNT_TYPES.find((one) => one === values['/default_account_type'])
    const body = { name: values['/name'] ?? '', default_account_type: type }
    const { id } = await banyan.platforms.create(body, { signal })
    await Promise.all([NAMES_KEY, ['platforms']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    await navigate({ to: places.platform(id) })
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        New platform
      </Button>
      <Dialog opened={isOpen} close={close} title="New platform">
        <ProblemForm
          fields={[
            { pointer: '/name', label: 'Name', isRequired: true },
            {
              pointer: '/default_account_type',
              label: 'Account opened by onboarding',
              choices: ACCOUNT_TYPES.map((value) => ({ value, label: value === 'HSA' ? value : stateText(value) })),
            },
          ]}
          submit="Create"
          send={create}
          cancel={close}
        />
      </Dialog>
    </>
  )
}
