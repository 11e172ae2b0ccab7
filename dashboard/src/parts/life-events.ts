import type { Field } from './field.ts'
import { wordsOf } from './state-badge.tsx'

const JOINED_BY = ['BIRTH', 'ADOPTION', 'MARRIAGE', 'MISSED', 'OTHER'] as const
const LEFT_BY = ['AGE', 'MARRIAGE', 'DIVORCE', 'DEATH', 'MISSED', 'OTHER'] as const
export type LifeEvent = (typeof JOINED_BY)[number] | (typeof LEFT_BY)[number]

const WORDS: Readonly<Record<string, string>> = {
  AGE: 'Age limit',
  MISSED: 'Missed before',
} satisfies Partial<Record<LifeEvent, string>>

/** Why somebody joins or leaves, in words. */
export const lifeEventText = (event: string): string => WORDS[event] ?? wordsOf(event)

const POINTER = '/event'
const fieldOf = (events: readonly LifeEvent[]): Field => ({
  pointer: POINTER,
  label: 'Why',
  choices: [{ value: '', label: 'Not given' }, ...events.map((value) => ({ value, label: lifeEventText(value) }))],
})

export const JOIN_EVENT = fieldOf(JOINED_BY)
export const LEAVE_EVENT = fieldOf(LEFT_BY)

export const lifeEventIn = (values: Readonly<Record<string, string>>): LifeEvent | undefined =>
  [...JOINED_BY, ...LEFT_BY].find((event) => event === values[POINTER])
