import { FilterSelect } from './filter-select.tsx'
import { FROM_START, type UrlState } from './url-search.ts'
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
    <FilterSelect
      label="Order"
      choices={ORDERS}
      isDisabled={isFixed}
      value={!isFixed && order === 'oldest' ? 'oldest' : ''}
      change={(value) => setState({ order: value, ...FROM_START })}
    />
  )
}
