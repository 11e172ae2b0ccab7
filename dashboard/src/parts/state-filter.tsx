import { Chip, Group } from '@mantine/core'
import { stateText } from './state-badge.tsx'
import { FROM_START, knownIn } from './url-search.ts'
import { useUrlState } from './url-state.ts'

/** The states chosen in the address, and what sets them. A change begins at the first page. */
export function useStateFilter<State extends string>(states: readonly State[]) {
  const [url, setUrl] = useUrlState()
  const chosen = knownIn(url['status'], states)
  const filter = <StateChips states={states} chosen={chosen} change={(status) => setUrl({ status, ...FROM_START })} />
  return { chosen, filter }
}

type ChipSettings<State extends string> = {
  states: readonly State[]
  chosen: readonly State[]
  change: (chosen: string[]) => void
}

export function StateChips<State extends string>({ states, chosen, change }: ChipSettings<State>) {
  return (
    <Chip.Group multiple value={[...chosen]} onChange={change}>
      <Group gap={6} role="group" aria-label="States">
        {states.map((state) => (
          <Chip key={state} value={state} size="xs" variant="outline">
            {stateText(state)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}
