import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

export type Term = Readonly<Record<string, string>>
export type SearchField = { name: string; label: string; width?: number; initial?: string; error?: string | undefined }

type FormSettings = { fields: readonly SearchField[]; search: (term: Term) => void; isSearching: boolean }

/** The fields of a search in one line; the last one is focused, and the button stays beside it. */
export function SearchForm({ fields, search, isSearching }: FormSettings) {
  const [term, setTerm] = useState<Term>(Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search(Object.fromEntries(Object.entries(term).map(([name, value]) => [name, value.trim()])))
  }
  const inputs = fields.map(({ name, label, width = 240, error }, index) => (
    <TextInput
      key={name}
      label={label}
      w={width}
      value={term[name] ?? ''}
      error={error}
      autoComplete="off"
      autoFocus={index === fields.length - 1}
      {...(index === fields.length - 1 && { 'data-search': true })}
      onChange={({ currentTarget: { value } }) => setTerm((before) => ({ ...before, [name]: value }))}
    />
  ))
  return (
    <form onSubmit={submit} noValidate role="search">
      <Group gap="xs" align="flex-start">
        {inputs.slice(0, -1)}
        <Group gap="xs" align="flex-start" wrap="nowrap" miw={0}>
          {inputs.at(-1)}
          <Button type="submit" mt={21} miw="max-content" loading={isSearching}>
            Search
          </Button>
        </Group>
      </Group>
    </form>
  )
}
