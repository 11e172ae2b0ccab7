import { createGate } from './gate.ts'

/**
 * The end of the session while the page is open. Calls wait here and are sent again after the person has logged in, so
 * that nothing that was typed is lost.
 */
export const sessionEnd = createGate()
