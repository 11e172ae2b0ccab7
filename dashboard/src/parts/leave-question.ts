import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keepScreen } from '../api/session-end.ts'

/** Asks before another screen, or a reload, takes what is named. Undefined: there is nothing to lose. */
export function useLeaveQuestion(why: string | undefined): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !confirm(`${why} Leave this screen?`),
    enableBeforeUnload: true,
    disabled: why === undefined,
  })
  const isHeld = why !== undefined
  useEffect(() => (isHeld ? keepScreen() : undefined), [isHeld])
}
