import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Page } from '../../parts/page.tsx'
import { Results } from './results.tsx'
import { termsIn } from './terms.ts'

/** What was searched for last, so that going back shows it again. In memory only. */
let lastText = ''

/** Finds people, policies and companies by whatever somebody has given. The text is neither in the address nor stored. */
export function Screen() {
  const [text, setText] = useState(lastText)
  const [sent, setSent] = useState(lastText)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    lastText = text
    setSent(text)
  }
  return (
    <Page title="Search">
      <form onSubmit={submit} role="search">
        <Stack gap={4}>
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label="Search for"
              description="A phone, an identity, employee or policy number, any id, or a part of a company’s name"
              data-search
              autoFocus
              autoComplete="off"
              w={420}
              miw={0}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Button type="submit" miw="max-content">
              Search
            </Button>
          </Group>
          <Text size="xs" c="dimmed">
            Numbers have to be whole; names of people are sealed and cannot be searched. What you type is sent, but is
            neither kept nor part of the address.
          </Text>
        </Stack>
      </form>
      {sent.trim() !== '' && <Results key={sent} terms={termsIn(sent)} />}
    </Page>
  )
}
