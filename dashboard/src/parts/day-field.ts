import { type PlainDate, plainDate } from '@banyan/client'
import { InputError } from '../api/problem.ts'
import type { Field } from './field.ts'

/** A day that is written. */
export const dayField = (pointer: string, label: string, more: Partial<Field> = {}): Field => ({
  pointer,
  label,
  hint: 'Year, month, day: 2026-08-12',
  ...more,
})

/** Returns the day that was written in a field. */
export function dayIn(text: string, pointer: string): PlainDate {
  try {
    return plainDate(text)
  } catch {
    throw new InputError(pointer, 'Write a day that exists, such as 2026-08-12.')
  }
}
