import type { Dependant } from '@banyan/client'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { dependantsQuery } from '../../api/people.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Day, Time } from '../../parts/when.tsx'
import { AddDependant } from './add-dependant.tsx'
import { CorrectDependant } from './correct-dependant.tsx'
import { nameOf } from './name-of.ts'
import { type Looker, Sealed } from './sealed.tsx'
import { Versions } from './versions.tsx'

type Shown = { what: 'correct' | 'versions'; dependant: Dependant } | { what: 'add' }

const TITLES = {
  add: 'Add a dependant',
  correct: 'Correct a dependant',
  versions: 'Versions, the newest first',
} as const

export function Dependants(looker: Looker) {
  return (
    <Sealed looker={looker} what="dependants">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const [{ after }] = useUrlState()
  const { role } = useSession()
  const query = useQuery(dependantsQuery(id, { purpose, after: textIn(after) }))
  const [shown, setShown] = useState<Shown>()
  const close = () => setShown(undefined)
  const columns: readonly Column<Dependant>[] = [
    { title: 'Name', cell: (dependant) => <span dir="auto">{nameOf(dependant)}</span> },
    { title: 'Born', cell: ({ date_of_birth }) => <Day day={date_of_birth} /> },
    { title: 'This version', isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: 'Change',
      cell: (dependant) => (
        <Group gap={4}>
          {dependant.previous_version_id !== null && (
            <Button size="compact-xs" variant="subtle" onClick={() => setShown({ what: 'versions', dependant })}>
              Earlier versions
            </Button>
          )}
          {may(role, 'updateDependant') && (
            <Button size="compact-xs" variant="default" onClick={() => setShown({ what: 'correct', dependant })}>
              Correct
            </Button>
          )}
        </Group>
      ),
    },
  ]
  return (
    <>
      {may(role, 'createDependants') && (
        <Group justify="flex-end">
          <Button size="xs" variant="default" onClick={() => setShown({ what: 'add' })}>
            Add a dependant
          </Button>
        </Group>
      )}
      <CursorList
        label="Dependants"
        csv={() => csvOf.ofPerson.dependants(id, { purpose })}
        query={query}
        columns={columns}
        idOf={(dependant) => dependant.id}
        nameOf={(dependant) => dependant.id}
        empty={<Empty title="No dependants">They are added before a policy is applied for.</Empty>}
      />
      <Dialog opened={shown !== undefined} close={close} title={shown && TITLES[shown.what]} size="lg">
        {shown?.what === 'add' && <AddDependant id={id} purpose={purpose} close={close} />}
        {shown?.what === 'versions' && <Versions id={id} newest={shown.dependant} purpose={purpose} />}
        {shown?.what === 'correct' && (
          <CorrectDependant id={id} dependant={shown.dependant} purpose={purpose} close={close} />
        )}
      </Dialog>
    </>
  )
}
