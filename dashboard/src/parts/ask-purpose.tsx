import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { type Purpose, PURPOSES, statedPurpose } from '../api/purposes.ts'
import { Failed } from './outcomes.tsx'

type AskSettings = {
  label: string
  /** May fail, which is shown. */
  give: (purpose: string) => Promise<unknown>
  /** What most people need it for here. */
  usual?: Purpose
}

/** Asks why personal data is needed: the purpose is in the audit. */
export function AskPurpose({ label, give, usual = PURPOSES[0] }: AskSettings) {
  const [purpose, setPurpose] = useState<string>(statedPurpose() ?? usual)
  const [error, setError] = useState<Error>()
  const [isGiving, setGiving] = useState(false)

  const reveal = async () => {
    setGiving(true)
    setError(undefined)
    await give(purpose).catch(setError)
    setGiving(false)
  }

  return (
    <>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label="Why you need it"
          data={[...PURPOSES]}
          value={purpose}
          onChange={({ currentTarget }) => setPurpose(currentTarget.value)}
        />
        <Button size="xs" variant="default" loading={isGiving} onClick={() => void reveal()}>
          {label}
        </Button>
      </Group>
      {error && <Failed error={error} />}
    </>
  )
}
