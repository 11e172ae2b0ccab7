import { Anchor, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { FROM_START, textIn, type UrlState } from './url-search.ts'
import { useUrlState } from './url-state.ts'

/** Named filters of a list: the first, whose id is empty, is what the screen opens with. */
export type NamedList<Filter> = { id: string; title: string; filter: Filter }
type NamedLists<Filter> = readonly [NamedList<Filter>, ...NamedList<Filter>[]]

/** The list that the address names. */
export function useNamedList<Filter>(lists: NamedLists<Filter>): NamedList<Filter> {
  const [{ list }] = useUrlState()
  return lists.find(({ id }) => id === (textIn(list) ?? '')) ?? lists[0]
}

export function ListTabs({ label, lists, current }: { label: string; lists: NamedLists<unknown>; current: string }) {
  return (
    <Group component="nav" gap="lg" aria-label={label}>
      {lists.map(({ id, title }) => (
        <Anchor
          key={id}
          component={Link}
          to="."
          search={((before: UrlState) => ({ ...before, list: id, ...FROM_START })) as never}
          className="tab"
          aria-current={id === current ? 'page' : undefined}
        >
          {title}
        </Anchor>
      ))}
    </Group>
  )
}
