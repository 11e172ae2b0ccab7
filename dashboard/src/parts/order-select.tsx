import { NativeSelect } from '@mantine/core'
import { FROM_START } from './list-tabs.tsx'
import type { UrlState } from './url-search.ts'
import { useUrlState } from './url-state.ts'

const ORDERS = [
  { value: '', label: 'Last change first' },
  { value: 'oldest', label: 'Oldest first' },
]

/** The order that an address asks for, as a part of a filter. */
export const orderIn = ({ order }: UrlState) => (order === 'oldest' ? ({ order } as const) : {})

/** The order of a list, in its address. `isFixed`: another filter decides it. */
export function OrderSelect({ isFixed = false }: { isFixed?: boolean }) {
  const [{ order }, setState] = useUrlState()
  return (
    <NativeSelect
      size="xs"
      aria-label="Order"
      data={ORDERS}
      disabled={isFixed}
      value={!isFixed && order === 'oldest' ? 'oldest' : ''}
      onChange={({ currentTarget: { value } }) => setState({ order: value, ...FROM_START })}
    />
  )
}
