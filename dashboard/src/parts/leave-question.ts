import { useBlocker } from '@tanstack/react-router'

/** Asks before another screen, or a reload, takes what is named. Undefined: there is nothing to lose. */
export function useLeaveQuestion(why: string | undefined): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !confirm(`${why} Leave this screen?`),
    enableBeforeUnload: true,
    disabled: why === undefined,
  })
}
