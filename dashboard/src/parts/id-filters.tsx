import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

export type Choice = { value: string; label: string }
type IdField = {
  name: string
  label: string
  placeholder: string
  width: number
  /** Records that can be typed by their names. */
  choices?: readonly Choice[]
}
type Values = Readonly<Record<string, string>>

const nameFor = ({ choices = [] }: IdField, id: string) => choices.find(({ value }) => value === id)?.label ?? id

/** Returns the id of what was typed, where it is the name of one record alone, or a part of it. */
function idFor({ choices = [] }: IdField, typed: string): string {
  const word = typed.trim().toLowerCase()
  const names = choices.map(({ value, label }) => ({ value, name: label.toLowerCase() }))
  const same = names.filter(({ name }) => name === word)
  const like = same.length > 0 ? same : names.filter(({ name }) => name.includes(word))
  return word !== '' && like.length === 1 ? (like[0]?.value ?? '') : typed.trim()
}

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
    Object.fromEntries(fields.map((field) => [field.name, nameFor(field, values[field.name] ?? '')])),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(Object.fromEntries(fields.map((field) => [field.name, idFor(field, typed[field.name] ?? '')])))
  }
  return (
    <form onSubmit={submit}>
      <Group gap={4}>
        {fields.map(({ name, label, placeholder, width, choices }, index) => (
          <TextInput
            key={name}
            size="xs"
            w={width}
            aria-label={label}
            placeholder={placeholder}
            {...(index === 0 && { 'data-search': true })}
            {...(choices && { list: `${name}-choices` })}
            value={typed[name] ?? ''}
            onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
          />
        ))}
        {fields.map(
          ({ name, choices }) =>
            choices && (
              <datalist key={name} id={`${name}-choices`}>
                {choices.map(({ value, label }) => (
                  <option key={value} value={label} />
                ))}
              </datalist>
            ),
        )}
        <Button size="xs" variant="default" type="submit">
          Filter
        </Button>
      </Group>
    </form>
  )
}
