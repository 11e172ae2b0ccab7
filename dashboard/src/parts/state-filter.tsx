import { Chip, Group } from '@mantine/core'
import { stateText } from './state-badge.tsx'
import { knownIn } from './url-search.ts'
import { useUrlState } from './url-state.ts'

/** The states chosen in the address, and what sets them. A change begins at the first page. */
export function useStateFilter<State extends string>(states: readonly State[]) {
  const [url, setUrl] = useUrlState()
  const chosen = knownIn(url['status'], states)
  const filter = (
    <Chip.Group multiple value={chosen} onChange={(status) => setUrl({ status, after: undefined, row: undefined })}>
      <Group gap={6} role="group" aria-label="States">
        {states.map((state) => (
          <Chip key={state} value={state} size="xs" variant="outline">
            {stateText(state)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
  return { chosen, filter }
}
