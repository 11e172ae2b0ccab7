import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

type IdField = { name: string; label: string; placeholder: string; width: number }
type Values = Readonly<Record<string, string>>

/** Filters by what is typed, when Enter is pressed or the button: `/` leads to the first. Give it the values as its key. */
export function IdFilters({
  fields,
  values,
  change,
}: {
  fields: readonly IdField[]
  values: Readonly<Record<string, string | undefined>>
  change: (values: Values) => void
}) {
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? ''])),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value.trim()])))
  }
  return (
    <form onSubmit={submit}>
      <Group gap={4}>
        {fields.map(({ name, label, placeholder, width }, index) => (
          <TextInput
            key={name}
            size="xs"
            w={width}
            aria-label={label}
            placeholder={placeholder}
            {...(index === 0 && { 'data-search': true })}
            value={typed[name] ?? ''}
            onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
          />
        ))}
        <Button size="xs" variant="default" type="submit">
          Filter
        </Button>
      </Group>
    </form>
  )
}
