import { ValidationError } from '@banyan/client'
import { createGate } from './gate.ts'

/** Why personal data is read. A fixed list, so that nobody writes personal data into the audit. */
export const PURPOSES = [
  'Helping the person',
  'Checking an application',
  'Settling a complaint',
  'Correcting an error',
] as const
export type Purpose = (typeof PURPOSES)[number]

const NAME = 'banyan-purpose'

/** Calls wait here where the installation requires a purpose and none has been stated in this tab. */
export const purposeGate = createGate()

export const statedPurpose = (): Purpose | undefined => {
  const stored = sessionStorage.getItem(NAME)
  return PURPOSES.find((purpose) => purpose === stored)
}

/** States the purpose of every call of this tab from now on. */
export function statePurpose(purpose: Purpose): void {
  sessionStorage.setItem(NAME, purpose)
  purposeGate.open()
}

export const isPurposeMissing = (error: unknown): boolean =>
  error instanceof ValidationError &&
  error.fieldErrors.some(({ pointer, code }) => pointer === 'header:purpose' && code === 'required')
