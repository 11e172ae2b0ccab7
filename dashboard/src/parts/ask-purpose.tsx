import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { PURPOSES, statedPurpose } from '../api/purposes.ts'
import { Failed } from './outcomes.tsx'

/** Asks why personal data is needed: the purpose is in the audit. `give` may fail, which is shown. */
export function AskPurpose({ label, give }: { label: string; give: (purpose: string) => Promise<unknown> }) {
  const [purpose, setPurpose] = useState<string>(statedPurpose() ?? PURPOSES[0])
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
