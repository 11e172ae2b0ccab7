import { Button, Group, NativeSelect } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Failed } from './outcomes.tsx'

const PURPOSES = [
  'Replying to the person',
  'Checking an application',
  'Settling a complaint',
  'Correcting an error',
] as const

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
  const [purpose, setPurpose] = useState<string>(PURPOSES[0])
  const [shown, setShown] = useState<{ data: Data }>()
  const [error, setError] = useState<Error>()
  const [isReading, setReading] = useState(false)

  const reveal = async () => {
    setReading(true)
    setError(undefined)
    await read(purpose).then((data) => setShown({ data }), setError)
    setReading(false)
  }

  if (shown) return <>{children(shown.data)}</>
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
        <Button size="xs" variant="default" loading={isReading} onClick={() => void reveal()}>
          Show {what}
        </Button>
      </Group>
      {error && <Failed error={error} />}
    </>
  )
}
