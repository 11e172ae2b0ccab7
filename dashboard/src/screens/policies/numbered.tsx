import type { ListedInsurancePolicy } from '@banyan/client'
import { Alert, Button, Group, List, ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { idColumnIn, placeOfPolicy, policyColumnsIn, WAITING_SINCE } from '../../parts/policy-columns.tsx'
import { stateText } from '../../parts/state-badge.tsx'
import { countText } from '../../parts/texts.ts'
import { Bulk } from './bulk.tsx'
import { numberedPoliciesQuery } from './numbers.ts'

const COLUMNS = [...policyColumnsIn(placeOfPolicy), WAITING_SINCE, idColumnIn(placeOfPolicy)]

/** The policies of a list of numbers: what was not found first, then all of a state selected by a click. */
export function Numbered({ numbers, leave }: { numbers: readonly string[]; leave: () => void }) {
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const query = useQuery(numberedPoliciesQuery(numbers))
  const { data: rows = [], missing = [] } = query.data ?? {}
  const byState = Map.groupBy(rows, ({ status }) => status as string)
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" fw={600} aria-live="polite">
          {query.data
            ? `${countText(numbers.length - missing.length)} of ${countText(numbers.length)} numbers found`
            : `Looking for ${countText(numbers.length)} numbers…`}
        </Text>
        <Button size="xs" variant="default" onClick={leave}>
          Back to the work lists
        </Button>
      </Group>
      {missing.length > 0 && <NotFound missing={missing} again={() => void query.refetch()} />}
      {rows.length > 0 && (
        <Group gap="xs" role="group" aria-label="Select by state">
          <Text size="sm">Select</Text>
          {[...byState].map(([state, some]) => (
            <Button key={state} size="compact-sm" variant="default" onClick={() => select(new Set(some.map(idOf)))}>
              {stateText(state)}: {countText(some.length)}
            </Button>
          ))}
        </Group>
      )}
      <Bulk rows={rows.filter(({ id }) => selected.has(id))} select={select} />
      <CursorList
        label="Policies of the list"
        query={query}
        columns={COLUMNS}
        idOf={idOf}
        nameOf={({ id }) => `policy ${id}`}
        to={placeOfPolicy}
        selection={{ ids: selected, change: select }}
        empty={<Empty title="None of these numbers was found">Compare them with a certificate.</Empty>}
      />
    </>
  )
}

const idOf = ({ id }: ListedInsurancePolicy): string => id

type NotFoundSettings = { missing: readonly { number: string; why: string }[]; again: () => void }

function NotFound({ missing, again }: NotFoundSettings) {
  return (
    <Alert color="yellow" variant="outline" role="alert" title={`Not found: ${countText(missing.length)}`}>
      <ScrollArea.Autosize mah={160} mb="xs" type="auto" tabIndex={0}>
        <List size="sm">
          {missing.map(({ number, why }) => (
            <List.Item key={number}>
              <bdi>{number}</bdi>: {why}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
      <Button size="xs" variant="default" onClick={again}>
        Look again
      </Button>
    </Alert>
  )
}
