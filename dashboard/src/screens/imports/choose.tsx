import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ChosenFile, ImportKind } from '../../api/imports.ts'
import { namesIn, namesQuery } from '../../api/names.ts'
import { fieldErrorsOf, textOf } from '../../api/problem.ts'
import { useSession } from '../../api/session.ts'
import { useLeaveQuestion } from '../../parts/leave-question.ts'
import { Section } from '../../parts/page.tsx'
import { Waiting } from '../../parts/problem-form.tsx'
import type { useSending } from '../../parts/use-sending.ts'
import { Columns } from './columns.tsx'
import { Drop } from './drop.tsx'
import { KIND_NAMES, KINDS } from './kinds.ts'

type ChooseSettings = {
  kind: ImportKind
  platform: string | undefined
  chosen: ChosenFile | undefined
  sending: ReturnType<typeof useSending>
  set: (change: { kind?: ImportKind; platform?: string }) => void
  choose: (file: File) => void
  check: (platform: string | undefined) => void
}

/** What is imported, of which partner, from which file. It is checked before anything else. */
export function Choose({ kind, platform, chosen, sending: { sending, error }, set, choose, check }: ChooseSettings) {
  const { role } = useSession()
  const isAdministrator = role !== 'platform'
  const names = useQuery({ ...namesQuery(role), enabled: isAdministrator })
  const platforms = namesIn(names.data, 'plt')
  const [only] = platforms
  const owner = isAdministrator ? (platform ?? (platforms.length === 1 ? only?.value : undefined)) : undefined
  const [isMissing, setMissing] = useState<'file' | 'platform'>()
  const isSending = sending !== undefined
  useLeaveQuestion(isSending ? 'The file is still being sent.' : undefined)

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const missing = isAdministrator && owner === undefined ? 'platform' : chosen === undefined ? 'file' : undefined
    setMissing(missing)
    if (missing === undefined) check(owner)
  }
  return (
    <Stack gap="md">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="sm" className="form">
          <div className="fields" data-columns={isAdministrator ? 2 : undefined}>
            <NativeSelect
              label="What is on the list"
              description={KINDS[kind].effect}
              data={KIND_NAMES.map((value) => ({ value, label: KINDS[value].title }))}
              value={kind}
              onChange={({ currentTarget: { value } }) => set({ kind: value as ImportKind })}
            />
            {isAdministrator && (
              <NativeSelect
                label="Partner"
                description="Whose people they are. The list has the rights of this partner."
                withAsterisk
                data={[{ value: '', label: names.isLoading ? 'Loading…' : 'Choose one' }, ...platforms]}
                value={owner ?? ''}
                error={isMissing === 'platform' && owner === undefined && 'Choose whose people they are.'}
                onChange={({ currentTarget: { value } }) => set({ platform: value })}
              />
            )}
          </div>
          <Drop chosen={chosen} choose={choose} />
          {isMissing === 'file' && !chosen && (
            <Text size="sm" className="lacks" role="alert">
              Choose a file first.
            </Text>
          )}
          {error && <Refused error={error} />}
          <Waiting sending={sending} />
          <Group gap="sm" justify="space-between">
            <Text size="sm" c="dimmed">
              Checking writes nothing: you see what would happen first.
            </Text>
            <Button type="submit" loading={isSending}>
              Check the list
            </Button>
          </Group>
        </Stack>
      </form>
      <Section title={`Columns of ${KINDS[kind].title.toLowerCase()}`}>
        <Columns kind={kind} />
      </Section>
    </Stack>
  )
}

/** What is wrong with the file as a whole, in the words of the service. */
function Refused({ error }: { error: Error }) {
  const details = [...new Set(Object.values(fieldErrorsOf(error)))]
  return (
    <Alert color="red" variant="outline" role="alert" title="The file was not taken">
      {details.length > 1 ? (
        <ul className="plain">
          {details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      ) : (
        <Text size="sm" className="breaks">
          {details[0] ?? textOf(error)}
        </Text>
      )}
    </Alert>
  )
}
