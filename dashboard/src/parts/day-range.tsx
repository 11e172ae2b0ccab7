import { type PlainDate, plainDate } from '@banyan/client'
import { Group, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { textIn, type UrlState } from './url-search.ts'

export type Days = { from?: PlainDate; to?: PlainDate }

/** The days in an address; what is no day there is left out. */
export function daysIn(state: UrlState): Days {
  const [from, to] = [dayIn(state['from']), dayIn(state['to'])]
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

function dayIn(value: unknown): PlainDate | undefined {
  try {
    const text = textIn(value as never)
    return text === undefined ? undefined : plainDate(text)
  } catch {
    return undefined
  }
}

/** Years that are typed digit by digit pass through the first centuries. */
const FIRST_DAY = '1900-01-01'

type Change = (patch: UrlState) => void

/** From a day to a day, in India, both included. */
export function DayRange({ days, change }: { days: Days; change: Change }) {
  return (
    <Group gap={4}>
      <DayField label="From this day" day={days.from} change={(from) => change({ from })} />
      <span className="quiet">to</span>
      <DayField label="To this day" day={days.to} change={(to) => change({ to })} />
    </Group>
  )
}

type DayFieldSettings = { label: string; day: string | undefined; change: (day: string | undefined) => void }

function DayField({ label, day = '', change }: DayFieldSettings) {
  const [typed, setTyped] = useState(day)
  useEffect(() => setTyped(day), [day])
  return (
    <TextInput
      type="date"
      size="xs"
      aria-label={label}
      title={label}
      value={typed}
      onChange={({ currentTarget: { value, validity } }) => {
        setTyped(value)
        if (!validity.badInput && (value === '' || value >= FIRST_DAY)) change(value || undefined)
      }}
    />
  )
}
