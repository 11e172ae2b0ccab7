import type { BenefitProvider } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { banyan } from '../../api/banyan.ts'
import { NAMES_KEY } from '../../api/names.ts'
import { providersQuery } from '../../api/partners.ts'
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
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'
import { NEW_PROVIDER_FIELDS, providerFrom } from '../../parts/record-fields.ts'

const placeOf = ({ id }: BenefitProvider) => places.benefitProvider(id)

const COLUMNS: readonly Column<BenefitProvider>[] = [
  { title: 'Benefit provider', cell: (row) => <NameLink name={row.name} to={placeOf(row)} /> },
  { title: 'Code', cell: ({ code }) => <Id id={code} /> },
  { title: 'Id', isExtra: true, cell: ({ id }) => <Id id={id} /> },
  { title: 'Created', isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
]

/** The insurers and clinic networks. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const query = useQuery(providersQuery(textIn(state['after'])))
  return (
    <Page title="Benefit providers" aside={mayWrite(role) && <NewProvider />}>
      <CursorList
        label="Benefit providers"
        csv={() => csvOf.benefitProviders()}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        to={placeOf}
        empty={<Empty title="No benefit providers yet">An operator creates them.</Empty>}
      />
    </Page>
  )
}

function NewProvider() {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const close = () => setOpen(false)
  const create = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const { id } = await banyan.benefitProviders.create(providerFrom(values), { signal })
    await Promise.all([NAMES_KEY, ['benefit_providers']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    await navigate({ to: places.benefitProvider(id) })
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        New benefit provider
      </Button>
      <Dialog opened={isOpen} close={close} title="New benefit provider" size="lg">
        <ProblemForm fields={NEW_PROVIDER_FIELDS} columns={2} submit="Create" send={create} cancel={close} />
      </Dialog>
    </>
  )
}
