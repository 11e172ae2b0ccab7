import { type HotkeyItem, useHotkeys } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

const NAME = 'banyan-single-keys'
const listeners = new Set<() => void>()

const areOn = (): boolean => localStorage.getItem(NAME) !== 'off'

/** Whether single keys do something: people who dictate press them by mistake. */
export const useSingleKeys = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, areOn)

export function setSingleKeys(on: boolean): void {
  localStorage.setItem(NAME, on ? 'on' : 'off')
  for (const listener of listeners) listener()
}

/** Keys that do something by themselves, while the person has them on. */
export function useShortcuts(keys: HotkeyItem[]): void {
  const isOn = useSingleKeys()
  useHotkeys(isOn ? keys : [])
}
