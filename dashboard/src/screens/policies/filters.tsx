import { Anchor, Group, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { PolicyState } from '../../api/policy-transitions.ts'
import { StateChips } from '../../parts/state-filter.tsx'
import type { UrlState } from '../../parts/url-search.ts'
import { DUE, POLICY_STATES, WORK_LISTS } from './work-lists.ts'

type FilterSettings = {
  status: readonly PolicyState[]
  due: string
  change: (patch: UrlState) => void
}

/** Each change begins at the first page, where nothing is current. */
const FROM_START = { after: undefined, row: undefined }

export function Filters({ status, due, change }: FilterSettings) {
  return (
    <>
      <Group component="nav" gap="4px 20px" aria-label="Work lists">
        {WORK_LISTS.map(({ title, status: states }) => (
          <Anchor
            key={title}
            component={Link}
            to="."
            search={{ status: states, due } as never}
            className="tab"
            aria-current={isSame(states, status) ? 'page' : undefined}
          >
            {title}
          </Anchor>
        ))}
      </Group>
      <Group gap="sm">
        <StateChips states={POLICY_STATES} chosen={status} change={(next) => change({ status: next, ...FROM_START })} />
        <NativeSelect
          size="xs"
          aria-label="Next transition by the calendar"
          data-search
          data={[...DUE]}
          value={due}
          onChange={({ currentTarget: { value } }) => change({ due: value, ...FROM_START })}
        />
      </Group>
    </>
  )
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((state) => other.includes(state))
