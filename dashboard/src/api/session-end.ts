import { createGate } from './gate.ts'

/**
 * The end of the session while the page is open. Calls wait here and are sent again after the person has logged in, so
 * that nothing that was typed is lost.
 */
export const sessionEnd = createGate()

let inputs = 0

/** Keeps the screen behind the dialog of the session’s end, because something is typed there or being sent; returns what ends that. */
export function keepScreen(): () => void {
  inputs++
  return () => void inputs--
}

export const isScreenKept = (): boolean => inputs > 0

const LOGGED_OUT_CHANNEL = 'banyan-logged-out'

/** Has the other tabs look at once. */
export function notifyLogOut(): void {
  const channel = new BroadcastChannel(LOGGED_OUT_CHANNEL)
  channel.postMessage('logged out')
  channel.close()
}

/** Calls back when somebody logs out in another tab; returns what ends that. */
export function onLogOut(look: () => void): () => void {
  const channel = new BroadcastChannel(LOGGED_OUT_CHANNEL)
  channel.addEventListener('message', look)
  return () => channel.close()
}
