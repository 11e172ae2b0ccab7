import type { UserId } from '@banyan/client'
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { AskPurpose } from '../../parts/ask-purpose.tsx'

/** Whose record it is, and why somebody looks, once that was said; it holds for all tabs of this visit. */
export type Looker = { id: UserId; purpose: string | undefined; give: (purpose: string) => void }

type SealedSettings = { looker: Looker; what: string; children: (purpose: string) => ReactNode }

/** Personal data, or the question what it is needed for. */
export function Sealed({ looker: { purpose, give }, what, children }: SealedSettings) {
  if (purpose !== undefined) return <>{children(purpose)}</>
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Sealed. Your reason stands in the access log, which the person can read. It opens all tabs of this person.
      </Text>
      <AskPurpose label={`Show ${what}`} give={async (given) => give(given)} />
    </Stack>
  )
}
