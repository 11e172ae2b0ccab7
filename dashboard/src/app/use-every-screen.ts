import { useEffect } from 'react'
import type { Screen } from './screens.ts'

/** The first screen has the network for itself until then. */
const LOAD_OTHERS_AFTER_MS = 2_000
/** A page that is never idle has them all the same. */
const IDLE_WITHIN_MS = 10_000

/** What only some browsers say about the network. */
type Network = { saveData?: boolean; effectiveType?: string }

/** Where data are dear or slow, a screen is loaded when it is opened. */
function isSparing(): boolean {
  const { saveData = false, effectiveType = '4g' } =
    (navigator as Navigator & { connection?: Network }).connection ?? {}
  return saveData || effectiveType !== '4g'
}

/** Safari has no such call. */
const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: IDLE_WITHIN_MS })
  else setTimeout(work, LOAD_OTHERS_AFTER_MS)
}

/** Loads the code of every screen, one after another while nothing else is done, so that each opens at once, and without a connection too. */
export function useEveryScreen(screens: readonly Screen[]): void {
  useEffect(() => {
    if (isSparing()) return
    let isOver = false
    const loadFrom = (index: number) => {
      const screen = screens[index]
      if (isOver || screen === undefined) return
      whenIdle(
        () =>
          void screen
            .load()
            .catch(() => {}) // loaded again when it is opened
            .finally(() => loadFrom(index + 1)),
      )
    }
    const timer = setTimeout(() => loadFrom(0), LOAD_OTHERS_AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [screens])
}
