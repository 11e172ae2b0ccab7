import { Button, Group, NativeSelect } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { PURPOSES, statedPurpose } from '../api/purposes.ts'
import { Failed } from './outcomes.tsx'

/**
 * Personal data, hidden until somebody says why it is needed: the purpose is in the audit, and the person can read it.
 * What was read is kept by this component alone, and gone when it is.
 */
export function Reveal<Data>({
  what,
  read,
  children,
}: {
  what: string
  read: (purpose: string) => Promise<Data>
  children: (data: Data) => ReactNode
}) {
  const [shown, setShown] = useState<{ data: Data }>()
  if (shown) return <>{children(shown.data)}</>
  return <AskPurpose label={`Show ${what}`} give={async (purpose) => setShown({ data: await read(purpose) })} />
}

/** Asks why personal data is needed. `give` may fail, which is shown. */
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
