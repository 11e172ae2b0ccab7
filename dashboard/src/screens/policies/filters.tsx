import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PolicyState } from '../../api/policy-transitions.ts'
import { colleaguesQuery } from '../../api/colleagues.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { colleagueChoices } from '../../parts/colleague-field.ts'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { StateChips } from '../../parts/state-filter.tsx'
import { FROM_START, type UrlState } from '../../parts/url-search.ts'
import { OrderSelect } from '../../parts/order-select.tsx'
import { ASSIGNEES, DUE, POLICY_STATES } from '../../parts/policy-list.ts'
import { WORK_LISTS } from './work-lists.ts'

type FilterSettings = {
  status: readonly PolicyState[]
  due: string
  assignee: string
  isSentBack: boolean
  canBeOldestFirst: boolean
  change: (patch: UrlState) => void
}

export function Filters({ status, due, assignee, isSentBack, canBeOldestFirst, change }: FilterSettings) {
  const { role } = useSession()
  return (
    <>
      <Group justify="space-between">
        <Group component="nav" gap="4px 20px" aria-label="Work lists">
          {WORK_LISTS.map(({ title, status: states, isSentBack: isMark = false }) => (
            <Anchor
              key={title}
              component={Link}
              to="."
              search={searchOf(states, { due, assignee, isMark }) as never}
              className="tab"
              aria-current={isMark === isSentBack && isSame(states, status) ? 'page' : undefined}
            >
              {title}
            </Anchor>
          ))}
        </Group>
        <OrderSelect isFixed={!canBeOldestFirst} />
      </Group>
      <Group gap="sm">
        <StateChips
          states={POLICY_STATES}
          chosen={status}
          change={(next) => change({ status: next, sent_back: undefined, ...FROM_START })}
        />
        <Group gap="sm">
          <FilterSelect
            label="Next transition by the calendar"
            isFirst
            choices={DUE}
            value={due}
            change={(value) =>
              change({ due: value, order: orderOf(status, value), sent_back: undefined, ...FROM_START })
            }
          />
          {may(role, 'assignInsurancePolicy') && (
            <WhoseWork assignee={assignee} change={(value) => change({ assignee: value, ...FROM_START })} />
          )}
        </Group>
      </Group>
    </>
  )
}

/** Everybody’s work, one’s own, nobody’s, or that of a colleague. */
function WhoseWork({ assignee, change }: { assignee: string; change: (value: string) => void }) {
  const session = useSession()
  const { data = [] } = useQuery(colleaguesQuery())
  const colleagues = colleagueChoices(data, session).filter(({ value }) => value !== session.id)
  const known = [...ASSIGNEES, ...colleagues]
  // A person of an insurer, for an administrator, or one who is not there any more.
  const other = known.some(({ value }) => value === assignee) ? [] : [{ value: assignee, label: 'Another person’s' }]
  return <FilterSelect label="Whose work" choices={[...known, ...other]} value={assignee} change={change} />
}

type Search = { due: string; assignee: string; isMark: boolean }

const searchOf = (status: readonly PolicyState[], { due, assignee, isMark }: Search): UrlState =>
  isMark ? { sent_back: 'true', assignee } : { status, due, assignee, order: orderOf(status, due) }

/** A list of what waits opens with what has waited longest; one by the calendar has the calendar’s order. */
const orderOf = (status: readonly PolicyState[], due: string) =>
  status.length > 0 && due === '' ? 'oldest' : undefined

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((state) => other.includes(state))
