import { Anchor, Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useShortcuts } from './shortcuts.ts'
import { linkOf, parseUrlState, textIn, urlStateText, type UrlState } from './url-search.ts'
import { useUrlState } from './url-state.ts'

/** The name in the address of a record: the search of the list that it was opened from. */
const LIST = 'in'

/** Returns the address of a record that knows the list it was opened from. */
export function placeInList(place: string, list: UrlState): string {
  const [path = '', search = ''] = place.split('?')
  const opened = { [LIST]: urlStateText({ ...list, row: undefined }) || '?' }
  return `${path}${urlStateText({ ...parseUrlState(search), ...opened })}`
}

type Row = { id: string }
type Page<R> = { data: readonly R[]; next: string | null }

const keyOf = (list: string, state: UrlState) => ['neighbours', list, urlStateText({ ...state, row: undefined })]

type Shown = { data?: Page<unknown> | undefined; isPlaceholderData: boolean }

/** Keeps the page of a list as it was seen last, for the records that are opened from it. */
export function useKeptList(list: string, { data, isPlaceholderData }: Shown): void {
  const [state] = useUrlState()
  const queries = useQueryClient()
  useEffect(() => {
    if (data && !isPlaceholderData) queries.setQueryData(keyOf(list, state), data)
  }, [queries, list, state, data, isPlaceholderData])
}

type NeighbourSettings<R extends Row> = {
  id: string
  /** The screen of the list. */
  list: string
  /** Reads the page that an address of it asks for. */
  read: (state: UrlState, signal: AbortSignal) => PromiseLike<Page<R>>
  placeOf: (row: R) => string
}

/**
 * The records before and after this one, in the order and with the filters of the list that it was opened from. The page of the list is
 * kept as it was then: what was done here may have taken this record out of it.
 */
export function Neighbours<R extends Row>({ id, list, read, placeOf }: NeighbourSettings<R>) {
  const [url] = useUrlState()
  const navigate = useNavigate()
  const text = textIn(url[LIST])
  const state = parseUrlState(text ?? '')
  const pageQuery = (at: UrlState) => ({
    queryKey: keyOf(list, at),
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Page<R>> => read(at, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const page = useQuery({ ...pageQuery(state), enabled: text !== undefined })
  const rows = page.data?.data ?? []
  const at = rows.findIndex((row) => row.id === id)
  const after = page.data?.next ?? undefined
  const onward = { ...state, after }
  const isLast = at === rows.length - 1 && after !== undefined
  const more = useQuery({ ...pageQuery(onward), enabled: text !== undefined && isLast })
  const previous = at > 0 ? rows[at - 1] : undefined
  // One that is no longer in the list, after a reload, goes on with what is there.
  const next = isLast ? more.data?.data[0] : rows[at + 1]
  const open = (row: R | undefined, of: UrlState) => () => {
    if (row) void navigate({ ...linkOf(placeInList(placeOf(row), of)), resetScroll: true })
  }
  const toPrevious = open(previous, state)
  const toNext = open(next, isLast ? onward : state)
  useShortcuts([
    ['j', toNext],
    ['k', toPrevious],
  ])
  if (text === undefined) return null
  return (
    <Group component="nav" gap="xs" aria-label="Records of the list" aria-busy={page.isLoading || more.isLoading}>
      <Anchor component={Link} size="sm" {...linkOf(`${list}${urlStateText({ ...state, row: id })}`)}>
        Back to the list
      </Anchor>
      <Step label="Previous" goal="Previous record (k)" isThere={previous !== undefined} go={toPrevious} />
      <Step label="Next" goal="Next record (j)" isThere={next !== undefined} go={toNext} />
    </Group>
  )
}

/** Stays where it is when there is nothing more, so that the focus does, too. */
function Step({ label, goal, isThere, go }: { label: string; goal: string; isThere: boolean; go: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      title={goal}
      aria-disabled={!isThere || undefined}
      {...(!isThere && { 'data-disabled': true })}
      onClick={go}
    >
      {label}
    </Button>
  )
}
