import { useNavigate, useSearch } from '@tanstack/react-router'
import type { UrlState } from './url-search.ts'

type Change = { /** True for what is no step of its own, such as the row of the keyboard. */ replaces?: boolean }

/**
 * The state of a screen, which is in its address, so that reloading, going back and sending the address keep it. Never
 * put a personal datum here.
 */
export function useUrlState(): [UrlState, (patch: UrlState, change?: Change) => void] {
  const state: UrlState = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (patch: UrlState, { replaces = false }: Change = {}) =>
    void navigate({
      to: '.',
      search: (before: UrlState) => ({ ...before, ...patch }),
      replace: replaces,
      resetScroll: false,
    } as never)
  return [state, set]
}
