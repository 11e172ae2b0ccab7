import { NativeSelect } from '@mantine/core'

type Choice = { value: string; label: string }
type FilterSelectSettings = {
  label: string
  choices: readonly Choice[]
  /** The empty value is no filter. */
  value: string
  change: (value: string) => void
  isDisabled?: boolean
  /** Gets the focus by the key for the search. */
  isFirst?: boolean
}

/** A filter of a list by one of some values. */
export const FilterSelect = ({ label, choices, value, change, isDisabled, isFirst }: FilterSelectSettings) => (
  <NativeSelect
    size="xs"
    aria-label={label}
    {...(isFirst && { 'data-search': true })}
    data={[...choices]}
    disabled={isDisabled ?? false}
    value={value}
    onChange={({ currentTarget }) => change(currentTarget.value)}
  />
)
