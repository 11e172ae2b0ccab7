import type { UserId } from '@banyan/client'
import type { ReactNode } from 'react'
import { AskPurpose } from '../../parts/reveal.tsx'

/** Whose record it is, and why somebody looks, once that was said; it holds for all tabs of this visit. */
export type Looker = { id: UserId; purpose: string | undefined; give: (purpose: string) => void }

/** Personal data, or the question what it is needed for. */
export function Sealed({
  looker: { purpose, give },
  what,
  children,
}: {
  looker: Looker
  what: string
  children: (purpose: string) => ReactNode
}) {
  if (purpose !== undefined) return <>{children(purpose)}</>
  return <AskPurpose what={what} give={async (given) => give(given)} />
}
